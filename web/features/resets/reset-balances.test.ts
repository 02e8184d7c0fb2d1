import { expect, it } from 'vitest'
import { daysBetween } from '#domain/calendar.ts'
import { buildResetLines, buildResetRows } from './reset-balances.ts'
import { resetSample } from './samples.testkit.ts'

const [longer] = resetSample.options
const rows = buildResetRows(resetSample.unchanged?.balances ?? [], longer?.balances ?? [])

it('has a row for each date of either loan, and nothing after a loan has ended', () => {
  expect(rows.map(({ date, unchanged, chosen }) => [date, unchanged, chosen])).toEqual([
    ['2026-12-20', 3_000_000n, 3_000_000n],
    ['2027-01-05', 2_000_000n, 2_000_000n],
    ['2027-02-05', 1_000_000n, 1_000_000n],
    ['2027-03-05', 0n, 10_000n],
    ['2027-04-05', null, 0n],
  ])
})

it('places both on one time axis, where every day has the same width', () => {
  const { unchanged, chosen } = buildResetLines(rows)
  const days = daysBetween(rows[0]!.date, rows.at(-1)!.date)
  expect(chosen.map(({ x }) => Math.round(x * days))).toEqual([0, 16, 47, 75, 106])
  expect(unchanged).toHaveLength(4)
  expect(unchanged.at(-1)).toEqual({ x: 75 / 106, amount: 0n })
})

it('draws nothing without rows', () => {
  expect(buildResetLines([])).toEqual({ unchanged: [], chosen: [] })
})
