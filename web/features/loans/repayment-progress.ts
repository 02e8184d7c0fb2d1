import type { Loan, ScheduleRow } from '#contract/loans.ts'
import type { Day } from '#domain/calendar.ts'
import { paise, type Paise } from '#domain/money.ts'
import { getLateTone } from '#web/loan/dpd.ts'
import type { ChartBar } from '#web/ui/bar-chart.tsx'

/**
 * A bar for each instalment, as high as the balance before it; empty if the schedule has no
 * balances. Late bars have the colour of the loan's days past due.
 */
export function buildBalanceBars(rows: readonly ScheduleRow[], dpd: number): ChartBar[] {
  const barKinds = { Paid: 'paid', Late: getLateTone(dpd), Due: 'left', Unknown: 'left' } as const
  const openings = rows.map(getOpeningBalance)
  const known = openings.filter((opening) => opening !== null)
  if (known.length < rows.length) return []
  const highest = known.reduce((most, opening) => (opening > most ? opening : most), 0n)
  if (highest === 0n) return []
  return rows.map((row, index) => ({
    height: Number(((known[index] ?? 0n) * 10_000n) / highest) / 10_000,
    kind: barKinds[row.status],
  }))
}

function getOpeningBalance(row: ScheduleRow): bigint | null {
  return row.closing_balance === undefined || row.principal_amount === undefined ? null : row.closing_balance + row.principal_amount
}

/** How many instalments were due on or before `day`. */
export const countRowsUntil = (rows: readonly ScheduleRow[], day: Day): number => rows.filter((row) => row.due_date <= day).length

/** A share in whole percent; 0 and 100 only if the part is exactly nothing or all. */
export function computeSharePercent(part: Paise, rest: Paise): number {
  const whole = part + rest
  if (whole <= 0n) return 0
  const rounded = Number((part * 200n + whole) / (whole * 2n))
  if (part > 0n && rounded === 0) return 1
  return rest > 0n && rounded === 100 ? 99 : rounded
}

/** The principal that was not paid: what is outstanding, and what the lender waived. */
export const getUnpaidPrincipal = (loan: Pick<Loan, 'principal_outstanding' | 'principal_waived'>): Paise =>
  paise(loan.principal_outstanding + (loan.principal_waived ?? 0n))
