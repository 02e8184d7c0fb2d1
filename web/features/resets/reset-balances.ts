import type { RateReset } from '#contract/rate-resets.ts'
import { daysBetween, type Day } from '#domain/calendar.ts'
import type { Paise } from '#domain/money.ts'
import type { ChartPoint } from '#web/ui/line-chart.tsx'

type Balances = NonNullable<RateReset['unchanged']>['balances']

/** A due date with the balance after it, at today's rate and with the chosen option. */
export type ResetRow = { date: Day; unchanged: Paise | null; chosen: Paise | null }

/** Both balances on all due dates; null after the last due date of that schedule. */
export function buildResetRows(unchanged: Balances, chosen: Balances): ResetRow[] {
  const [before, after] = [unchanged, chosen].map((balances) => new Map(balances.map(({ date, amount }) => [date, amount])))
  const dates = new Set([...unchanged, ...chosen].map(({ date }) => date))
  return [...dates].toSorted().map((date) => ({ date, unchanged: before?.get(date) ?? null, chosen: after?.get(date) ?? null }))
}

/** The points of both curves on one time axis from 0 to 1, on which all days are equally wide. */
export function buildResetLines(rows: readonly ResetRow[]): { unchanged: ChartPoint[]; chosen: ChartPoint[] } {
  const [first, last] = [rows[0]?.date, rows.at(-1)?.date]
  if (first === undefined || last === undefined) return { unchanged: [], chosen: [] }
  const days = Math.max(1, daysBetween(first, last))
  const pointsOf = (side: 'unchanged' | 'chosen'): ChartPoint[] =>
    rows.flatMap(({ date, [side]: amount }) => (amount === null ? [] : [{ x: daysBetween(first, date) / days, amount }]))
  return { unchanged: pointsOf('unchanged'), chosen: pointsOf('chosen') }
}
