import { daysBetween, type Day } from '#domain/calendar.ts'
import type { Paise } from '#domain/money.ts'
import type { ChartPoint } from '#web/ui/line-chart.tsx'

export type Balances = readonly { date: Day; amount: Paise }[]

/** A due date with the balance after it, of the loan as it is and as it would be. */
export type BalanceRow = { date: Day; unchanged: Paise | null; changed: Paise | null }

/** Both balances on all due dates; null after the last due date of that schedule. */
export function buildBalanceRows(unchanged: Balances, changed: Balances): BalanceRow[] {
  const [before, after] = [unchanged, changed].map((balances) => new Map(balances.map(({ date, amount }) => [date, amount])))
  const dates = new Set([...unchanged, ...changed].map(({ date }) => date))
  return [...dates].toSorted().map((date) => ({ date, unchanged: before?.get(date) ?? null, changed: after?.get(date) ?? null }))
}

/** The points of both curves on one time axis from 0 to 1, on which all days are equally wide. */
export function buildBalanceLines(rows: readonly BalanceRow[]): { unchanged: ChartPoint[]; changed: ChartPoint[] } {
  const [first, last] = [rows[0]?.date, rows.at(-1)?.date]
  if (first === undefined || last === undefined) return { unchanged: [], changed: [] }
  const days = Math.max(1, daysBetween(first, last))
  const pointsOf = (side: 'unchanged' | 'changed'): ChartPoint[] =>
    rows.flatMap(({ date, [side]: amount }) => (amount === null ? [] : [{ x: daysBetween(first, date) / days, amount }]))
  return { unchanged: pointsOf('unchanged'), changed: pointsOf('changed') }
}
