import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { paise } from '#domain/money.ts'
import { computeChartScale, type ChartScale } from './chart-scale.ts'
import { cx } from './class-names.ts'
import { formatMoney } from './format.ts'

/** `x` from 0 to 1, left to right; `amount` in paise. */
export type ChartPoint = { x: number; amount: bigint }

type ChartLine = { points: readonly ChartPoint[]; look: keyof typeof looks; name: string }

type LineChartProps = {
  /** The chart in a sentence with its figures: the name of the image. */
  label: string
  lines: readonly ChartLine[]
  /** Today's point, marked on the line. */
  now?: ChartPoint | undefined
  /** A note about today, in the free corner. */
  note?: ReactNode
  /** Labels below the chart, from left to right. */
  axis: readonly string[]
}

const looks = {
  /** Actual values; the area below is tinted. */
  solid: { stroke: 'stroke-chart-paid', dashes: undefined, width: 2.5, key: 'border-solid border-chart-paid' },
  dashed: { stroke: 'stroke-chart-paid', dashes: '6 4', width: 2.5, key: 'border-dashed border-chart-paid' },
  /** The curve to compare with. */
  compare: { stroke: 'stroke-chart-compare', dashes: '1.5 4', width: 2.5, key: 'border-dotted border-chart-compare' },
} as const

/**
 * Amounts over time. Labels are HTML above a stretched drawing, so they do not shrink; show the
 * figures in a table too.
 */
export function LineChart({ label, lines, now, note, axis }: LineChartProps) {
  const scale = computeChartScale(
    lines.flatMap(({ points }) => points).reduce((most, { amount }) => (amount > most ? amount : most), now?.amount ?? 0n),
  )
  if (scale.top === 0n) return null
  return (
    // In a stretching column, the chart takes the free height.
    <figure className="flex flex-1 flex-col">
      <div className="relative ml-18 min-h-36 flex-1 md:min-h-44">
        <Ticks scale={scale} />
        <svg
          role="img"
          aria-label={label}
          viewBox="0 0 100 100"
          preserveAspectRatio="none"
          className="absolute inset-0 size-full overflow-visible"
          fill="none"
          strokeLinejoin="round"
          strokeLinecap="round"
        >
          {lines.map((line) => (
            <Curve key={line.name} line={line} scale={scale} />
          ))}
        </svg>
        {now && (
          <span
            aria-hidden="true"
            className="absolute size-3.5 -translate-1/2 rounded-full border-3 border-chart-paid bg-raised"
            style={{ left: `${100 * now.x}%`, top: `${y(scale, now)}%` }}
          />
        )}
        {note && (
          <span
            aria-hidden="true"
            className="absolute -top-1 right-0 rounded-sm border border-line bg-raised px-2 py-0.5 text-xs tabular-nums"
          >
            {note}
          </span>
        )}
      </div>
      <div aria-hidden="true" className="mt-1 ml-18 flex justify-between text-xs text-muted tabular-nums">
        {axis.map((text, index) => (
          // The narrowest phones have no space for a label between the ends.
          <span key={index} className={index > 0 && index < axis.length - 1 ? 'max-[23rem]:hidden' : ''}>
            {text}
          </span>
        ))}
      </div>
      <ul className="mt-3 flex flex-wrap gap-x-6 gap-y-2 text-sm">
        {lines.map(({ name, look }) => (
          <li key={name} className="flex items-center gap-2">
            <span aria-hidden="true" className={cx('w-5 border-t-3', looks[look].key)} />
            {name}
          </li>
        ))}
      </ul>
    </figure>
  )
}

function Curve({ line: { points, look }, scale }: { line: ChartLine; scale: ChartScale }) {
  const path = points.map((point) => `${(100 * point.x).toFixed(2)},${y(scale, point).toFixed(2)}`).join(' ')
  const { stroke, dashes, width } = looks[look]
  const [first, last] = [points[0], points.at(-1)]
  return (
    <>
      {look === 'solid' && first && last && (
        <polygon points={`${100 * first.x},100 ${path} ${100 * last.x},100`} className="fill-chart-paid opacity-12" />
      )}
      <polyline points={path} vectorEffect="non-scaling-stroke" strokeWidth={width} strokeDasharray={dashes} className={stroke} />
    </>
  )
}

function Ticks({ scale: { top, step } }: { scale: ChartScale }) {
  const { t } = useLingui()
  const label = (amount: bigint): string => {
    const rupees = Number(amount / 100n)
    const [lakhs, crores] = [rupees / 100_000, rupees / 10_000_000]
    if (crores >= 1) return t`₹${crores} crore`
    return lakhs >= 1 ? t`₹${lakhs} lakh` : formatMoney(paise(amount))
  }
  const count = Number(top / step)
  return (
    <div aria-hidden="true">
      {Array.from({ length: count + 1 }, (_, index) => (
        <div key={index} className="absolute inset-x-0 border-t border-chart-grid" style={{ bottom: `${(100 * index) / count}%` }}>
          <span className="absolute right-full mr-2 -translate-y-1/2 text-xs whitespace-nowrap text-muted tabular-nums">
            {label(step * BigInt(index))}
          </span>
        </div>
      ))}
    </div>
  )
}

const y = ({ top }: ChartScale, { amount }: ChartPoint): number => 100 - Number((amount * 10_000n) / top) / 100
