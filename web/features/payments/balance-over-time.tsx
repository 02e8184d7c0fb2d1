import { Trans, useLingui } from '@lingui/react/macro'
import type { Loan, ScheduleRow } from '#contract/loans.ts'
import { paise } from '#domain/money.ts'
import { useLanguage } from '#web/i18n/use-language.ts'
import { formatMoney, formatMonth } from '#web/ui/format.ts'
import { Leaf } from '#web/ui/leaf.tsx'
import { balanceLine, type BalanceLine, type BalancePoint } from './balance-line.ts'

/** The loan going down to nothing: solid as it was, dashed as it will be. The schedule below holds the same figures in a table. */
export function BalanceOverTime({ loan, rows }: { loan: Loan; rows: readonly ScheduleRow[] }) {
  const { t } = useLingui()
  const language = useLanguage()
  const line = balanceLine(loan, rows)
  const [first, middle, last] = [rows[0], rows[Math.floor(rows.length / 2)], rows.at(-1)]
  if (line === null || line.top === 0n || loan.loan_status === 'CLOSED' || !first || !middle || !last) return null
  const outstanding = formatMoney(loan.principal_outstanding)
  const end = formatMonth(last.due_date, language)
  const now = line.future[0]
  return (
    <Leaf labelledBy="balance-over-time">
      <h2 id="balance-over-time" className="mb-4">{t`Balance over time`}</h2>
      <div className="relative ml-18 h-36 md:h-44">
        <Ticks line={line} />
        <svg
          role="img"
          aria-label={t`Outstanding ${outstanding} today, nothing in ${end} if every EMI is paid on time.`}
          viewBox="0 0 100 100"
          preserveAspectRatio="none"
          className="absolute inset-0 size-full overflow-visible"
          fill="none"
          strokeLinejoin="round"
        >
          <polygon points={`0,100 ${svgPoints(line, line.past)} ${x(line, line.past.at(-1))},100`} className="fill-chart-paid opacity-12" />
          <polyline points={svgPoints(line, line.past)} vectorEffect="non-scaling-stroke" strokeWidth="2.5" className="stroke-chart-paid" />
          <polyline
            points={svgPoints(line, line.future)}
            vectorEffect="non-scaling-stroke"
            strokeWidth="2.5"
            strokeDasharray="6 4"
            className="stroke-chart-paid"
          />
        </svg>
        <span
          aria-hidden="true"
          className="absolute size-3.5 -translate-1/2 rounded-full border-3 border-chart-paid bg-raised"
          style={{ left: `${x(line, now)}%`, top: `${y(line, now)}%` }}
        />
        <span
          aria-hidden="true"
          className="absolute -top-1 right-0 rounded-sm border border-line bg-raised px-2 py-0.5 text-xs tabular-nums"
        >
          <Trans>
            Today <b className="font-semibold">{outstanding}</b>
          </Trans>
        </span>
      </div>
      <div aria-hidden="true" className="mt-1 ml-18 flex justify-between text-xs text-muted tabular-nums">
        <span>{formatMonth(first.due_date, language)}</span>
        <span>{formatMonth(middle.due_date, language)}</span>
        <span>{end}</span>
      </div>
      <ul className="mt-3 flex flex-wrap gap-x-6 gap-y-2 text-sm">
        <KeyItem line="border-solid">{t`Balance so far`}</KeyItem>
        <KeyItem line="border-dashed">{t`If you pay on time`}</KeyItem>
      </ul>
    </Leaf>
  )
}

function Ticks({ line }: { line: BalanceLine }) {
  const { t } = useLingui()
  const label = (amount: bigint): string => {
    const rupees = Number(amount / 100n)
    const [lakhs, crores] = [rupees / 100_000, rupees / 10_000_000]
    if (crores >= 1) return t`₹${crores} crore`
    return lakhs >= 1 ? t`₹${lakhs} lakh` : formatMoney(paise(amount))
  }
  const count = Number(line.top / line.step)
  return (
    <div aria-hidden="true">
      {Array.from({ length: count + 1 }, (_, index) => (
        <div key={index} className="absolute inset-x-0 border-t border-chart-grid" style={{ bottom: `${(100 * index) / count}%` }}>
          <span className="absolute right-full mr-2 -translate-y-1/2 text-xs whitespace-nowrap text-muted tabular-nums">
            {label(line.step * BigInt(index))}
          </span>
        </div>
      ))}
    </div>
  )
}

function KeyItem({ line, children }: { line: string; children: string }) {
  return (
    <li className="flex items-center gap-2">
      <span aria-hidden="true" className={`w-5 border-t-3 border-chart-paid ${line}`} />
      {children}
    </li>
  )
}

const x = (line: BalanceLine, point: BalancePoint | undefined): number => (100 * (point?.x ?? 0)) / line.length
const y = (line: BalanceLine, point: BalancePoint | undefined): number => 100 - Number(((point?.balance ?? 0n) * 10_000n) / line.top) / 100
const svgPoints = (line: BalanceLine, points: readonly BalancePoint[]): string =>
  points.map((point) => `${x(line, point).toFixed(2)},${y(line, point).toFixed(2)}`).join(' ')
