import { expect, test } from 'vitest'
import type { PartPaymentOutcome } from '#contract/part-payments.ts'
import { toDay } from '#domain/calendar.ts'
import { paise, zeroPaise } from '#domain/money.ts'
import { whatIfLines, whatIfRows } from './what-if-lines.ts'

const outcome = (...amounts: number[]): PartPaymentOutcome => ({
  emi_amount: zeroPaise,
  last_due_date: null,
  instalments_left: amounts.length - 1,
  total_interest: zeroPaise,
  interest_saved: zeroPaise,
  balances: amounts.map((amount, index) => ({ date: toDay(`2026-0${index + 1}-05`), amount: paise(BigInt(amount)) })),
})

test('both courses lie over the same due dates, and the shorter one ends where it ends', () => {
  const rows = whatIfRows(outcome(400, 300, 200, 100, 0), outcome(250, 150, 0))
  expect(rows.map((row) => [row.date, row.without, row.with])).toEqual([
    ['2026-01-05', 400n, 250n],
    ['2026-02-05', 300n, 150n],
    ['2026-03-05', 200n, 0n],
    ['2026-04-05', 100n, null],
    ['2026-05-05', 0n, null],
  ])
  const lines = whatIfLines(rows)
  expect(lines.without.map(({ x }) => x)).toEqual([0, 0.25, 0.5, 0.75, 1])
  expect(lines.with).toEqual([
    { x: 0, amount: 250n },
    { x: 0.25, amount: 150n },
    { x: 0.5, amount: 0n },
  ])
})

test('with nothing to come there is a single point', () => {
  expect(whatIfLines(whatIfRows(outcome(400), outcome(250)))).toEqual({ without: [{ x: 0, amount: 400n }], with: [{ x: 0, amount: 250n }] })
})
