import type { ReactNode } from 'react'
import { cx } from './class-names.ts'

export type ChartBar = {
  /** 0 to 1 of the chart's height. */
  height: number
  /** paid: solid; left: pale with a solid end; caution, danger: late, in bands of that colour. */
  kind: 'paid' | 'left' | 'caution' | 'danger'
}

type BarChartProps = {
  /** At least one. */
  bars: readonly ChartBar[]
  /** The chart in a sentence with its figures: the name of the image. */
  label: string
  caption?: ReactNode
  /** The number of bars left of the mark, and its label. */
  mark?: { after: number; text: string }
  startLabel?: string
  endLabel?: string
}

const looks = {
  paid: 'fill-chart-paid',
  left: 'fill-chart-left',
  caution: 'fill-caution',
  danger: 'fill-danger',
  /** Gaps in a late bar: it is told from a paid one without colour. */
  gaps: 'fill-raised',
  /** The solid ends of future bars; what is above the chart is cut off. */
  ends: 'fill-chart-cap',
}
type Look = keyof typeof looks

/** A bar's place is 1 wide. */
const barInset = 0.13
const barWidth = 0.74
/** In hundredths of the chart's height. */
const endHeight = 2.6
const gapDistance = 10
const gapHeight = 2.5

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
          viewBox={`0 0 ${bars.length} 100`}
          preserveAspectRatio="none"
          className="h-30 w-full motion-safe:animate-[fill-strip_var(--motion-slow)_cubic-bezier(.2,0,0,1)] md:h-38 lg:h-60"
        >
          {Object.entries(drawBars(bars)).map(([look, path]) => (
            <path key={look} data-bars={look} d={path} className={looks[look as Look]} />
          ))}
        </svg>
        {mark && (
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

/**
 * One path for each look, because an element for each bar would be most of what a phone draws on
 * the page. Gaps and ends come last: they lie on the bars.
 */
function drawBars(bars: readonly ChartBar[]): Record<Look, string> {
  const paths = { paid: '', left: '', caution: '', danger: '', gaps: '', ends: '' }
  for (const [index, { kind, height: share }] of bars.entries()) {
    const height = share * 100
    const x = index + barInset
    paths[kind] += drawRect(x, 0, barWidth, height)
    if (kind === 'left') paths.ends += drawRect(x, height - endHeight, barWidth, endHeight)
    else if (kind !== 'paid')
      for (let end = gapDistance; end <= height; end += gapDistance) paths.gaps += drawRect(index, end - gapHeight, 1, gapHeight)
  }
  return paths
}

const drawRect = (x: number, y: number, width: number, height: number): string =>
  `M${x.toFixed(2)} ${y.toFixed(2)}h${width}v${height.toFixed(2)}h-${width}z`
