import { expect, it } from 'vitest'
import { daysBetween, toDay } from '#domain/calendar.ts'
import { paise } from '#domain/money.ts'
import { buildBalanceLines, buildBalanceRows, type Balances } from './two-balances.ts'

const days = ['2026-12-20', '2027-01-05', '2027-02-05', '2027-03-05', '2027-04-05']
const balances = (...amounts: bigint[]): Balances =>
  amounts.map((amount, index) => ({ date: toDay(days[index] ?? ''), amount: paise(amount) }))
const rows = buildBalanceRows(balances(3_000_000n, 2_000_000n, 1_000_000n, 0n), balances(3_000_000n, 2_000_000n, 1_000_000n, 10_000n, 0n))

it('has a row for each date of either loan, and nothing after a loan has ended', () => {
  expect(rows.map(({ date, unchanged, changed }) => [date, unchanged, changed])).toEqual([
    ['2026-12-20', 3_000_000n, 3_000_000n],
    ['2027-01-05', 2_000_000n, 2_000_000n],
    ['2027-02-05', 1_000_000n, 1_000_000n],
    ['2027-03-05', 0n, 10_000n],
    ['2027-04-05', null, 0n],
  ])
})

it('places both on one time axis, where every day has the same width', () => {
  const { unchanged, changed } = buildBalanceLines(rows)
  const length = daysBetween(rows[0]!.date, rows.at(-1)!.date)
  expect(changed.map(({ x }) => Math.round(x * length))).toEqual([0, 16, 47, 75, 106])
  expect(unchanged).toHaveLength(4)
  expect(unchanged.at(-1)).toEqual({ x: 75 / 106, amount: 0n })
})

it('draws a single point with nothing to come, and nothing without rows', () => {
  expect(buildBalanceLines(buildBalanceRows(balances(400n), balances(250n)))).toEqual({
    unchanged: [{ x: 0, amount: 400n }],
    changed: [{ x: 0, amount: 250n }],
  })
  expect(buildBalanceLines([])).toEqual({ unchanged: [], changed: [] })
})
