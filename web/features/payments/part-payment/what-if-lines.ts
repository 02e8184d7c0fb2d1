import type { PartPaymentOutcome } from '#contract/part-payments.ts'
import type { Day } from '#domain/calendar.ts'
import type { Paise } from '#domain/money.ts'
import type { ChartPoint } from '#web/ui/line-chart.tsx'

/** A due date with what is left after it, without the payment and with it. */
export type WhatIfRow = { date: Day; without: Paise; with: Paise | null }

/** Both courses over the due dates as they are without the payment; a course that ends earlier has nothing after its end. */
export function whatIfRows(unchanged: PartPaymentOutcome, after: PartPaymentOutcome): WhatIfRow[] {
  const left = new Map(after.balances.map(({ date, amount }) => [date, amount]))
  return unchanged.balances.map(({ date, amount }) => ({ date, without: amount, with: left.get(date) ?? null }))
}

/** The two curves over the same time. */
export function whatIfLines(rows: readonly WhatIfRow[]): { without: ChartPoint[]; with: ChartPoint[] } {
  const at = (index: number) => (rows.length < 2 ? 0 : index / (rows.length - 1))
  return {
    without: rows.map((row, index) => ({ x: at(index), amount: row.without })),
    with: rows.flatMap((row, index) => (row.with === null ? [] : [{ x: at(index), amount: row.with }])),
  }
}
