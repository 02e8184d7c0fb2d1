import type { ReactNode } from 'react'
import { cx } from './class-names.ts'

export type ChartBar = {
  /** 0 to 1 of the chart's height. */
  height: number
  /** paid: solid; left: pale with a solid end; caution, danger: late, in bands of that colour. */
  kind: 'paid' | 'left' | 'caution' | 'danger'
}

type BarChartProps = {
  bars: readonly ChartBar[]
  /** The chart in a sentence with its figures: the name of the image. */
  label: string
  caption?: ReactNode
  /** The number of bars left of the mark, and its label. */
  mark?: { after: number; text: string }
  startLabel?: string
  endLabel?: string
}

const fills = { paid: 'fill-chart-paid', left: 'fill-chart-left', caution: 'fill-caution', danger: 'fill-danger' }
/** The height of the solid end of a future bar, in hundredths of the chart's height. */
const foot = 2.6
/** Gaps in a late bar, in the same unit: it is told from a paid one without colour. */
const band = { distance: 10, gap: 2.5 }

/**
 * Instalments as bars below a line. Labels are HTML above a stretched drawing, so they do not
 * shrink.
 */
export function BarChart({ bars, label, caption, mark, startLabel, endLabel }: BarChartProps) {
  return (
    <figure>
      {caption && <figcaption className="mb-2 text-sm text-muted">{caption}</figcaption>}
      {/* The mark's label is below the longest bar. */}
      <div className={cx('relative border-t-3 border-chart-paid', mark && 'pb-5')}>
        <svg
          role="img"
          aria-label={label}
          viewBox={`0 0 ${Math.max(bars.length, 1)} 100`}
          preserveAspectRatio="none"
          className="h-30 w-full motion-safe:animate-[fill-strip_var(--motion-slow)_cubic-bezier(.2,0,0,1)] md:h-38 lg:h-60"
        >
          {bars.map((bar, index) => {
            const height = Math.min(Math.max(bar.height, 0), 1) * 100
            return (
              <g key={index}>
                <rect data-bar={bar.kind} x={index + 0.13} width={0.74} y={0} height={height} className={fills[bar.kind]} />
                {(bar.kind === 'caution' || bar.kind === 'danger') &&
                  Array.from({ length: Math.floor(height / band.distance) }, (_, gap) => (
                    <rect
                      key={gap}
                      data-gap=""
                      x={index}
                      width={1}
                      y={(gap + 1) * band.distance - band.gap}
                      height={band.gap}
                      className="fill-raised"
                    />
                  ))}
                {bar.kind === 'left' && height > 0 && (
                  <rect
                    x={index + 0.13}
                    width={0.74}
                    y={Math.max(height - foot, 0)}
                    height={Math.min(foot, height)}
                    className="fill-chart-cap"
                  />
                )}
              </g>
            )
          })}
        </svg>
        {mark && bars.length > 0 && (
          <div
            aria-hidden="true"
            className="absolute inset-y-0 w-0 border-l border-dashed border-muted"
            style={{ left: `${(100 * mark.after) / bars.length}%` }}
          >
            <span
              className={cx(
                'absolute bottom-0 text-xs font-medium whitespace-nowrap',
                mark.after * 2 > bars.length ? 'right-1.5' : 'left-1.5',
              )}
            >
              {mark.text}
            </span>
          </div>
        )}
      </div>
      {(startLabel || endLabel) && (
        <div aria-hidden="true" className="mt-1 flex justify-between text-xs tabular-nums text-muted">
          <span>{startLabel}</span>
          <span>{endLabel}</span>
        </div>
      )}
    </figure>
  )
}
