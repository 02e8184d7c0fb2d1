import type { Loan, ScheduleRow } from '#contract/loans.ts'
import type { ChartPoint } from '#web/ui/line-chart.tsx'

type BalanceLine = { past: ChartPoint[]; future: ChartPoint[] }

/**
 * The loan's balance after each instalment: past, and future if every EMI is paid on its day. Null
 * if the schedule has no balances.
 */
export function buildBalanceLine(loan: Pick<Loan, 'principal_outstanding' | 'as_of'>, rows: readonly ScheduleRow[]): BalanceLine | null {
  const first = rows[0]
  if (first?.closing_balance === undefined || first.principal_amount === undefined) return null
  const closings = rows.map((row) => row.closing_balance)
  if (!closings.every((closing) => closing !== undefined)) return null

  const today = rows.filter((row) => row.due_date <= loan.as_of).length
  const amounts = [first.closing_balance + first.principal_amount, ...closings]
  const point = (index: number, amount: bigint): ChartPoint => ({ x: index / rows.length, amount })
  const now = point(today, loan.principal_outstanding)
  // From the first late instalment on, nothing was repaid: the past balance is not below today's.
  // Before it a balance may be below today's, because a tranche came later.
  const late = rows.findIndex((row) => row.status === 'Late')
  const isStuck = (index: number, amount: bigint) => late !== -1 && index > late && amount < now.amount
  const past = amounts.slice(0, today).map((amount, index) => point(index, isStuck(index, amount) ? now.amount : amount))
  const future = amounts.slice(today + 1).map((amount, index) => point(today + 1 + index, amount > now.amount ? now.amount : amount))
  return { past: [...past, now], future: [now, ...future] }
}
