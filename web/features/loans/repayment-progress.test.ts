import { describe, expect, it } from 'vitest'
import type { ScheduleRow } from '#contract/loans.ts'
import type { Day } from '#domain/calendar.ts'
import { paise } from '#domain/money.ts'
import { buildBalanceBars, computeSharePercent, countRowsUntil, getUnpaidPrincipal } from './repayment-progress.ts'

const row = (status: ScheduleRow['status'], principal: bigint, closing: bigint, due_date = '2026-12-05') =>
  ({ status, principal_amount: paise(principal), closing_balance: paise(closing), due_date }) as ScheduleRow

describe('the strip', () => {
  it('has a bar an instalment, as long as the balance before it', () => {
    expect(buildBalanceBars([row('Paid', 25n, 75n), row('Late', 25n, 50n), row('Due', 50n, 0n), row('Unknown', 0n, 0n)], 12)).toEqual([
      { height: 1, kind: 'paid' },
      { height: 0.75, kind: 'caution' },
      { height: 0.5, kind: 'left' },
      { height: 0, kind: 'left' },
    ])
  })

  it('has late bars in the colour of the loan’s days past due, as its badge', () => {
    const kinds = (dpd: number) => buildBalanceBars([row('Late', 25n, 75n), row('Due', 75n, 0n)], dpd).map(({ kind }) => kind)
    expect(kinds(30)).toEqual(['caution', 'left'])
    expect(kinds(31)).toEqual(['danger', 'left'])
  })

  it('is left out where a balance is missing, or nothing was ever owed', () => {
    expect(buildBalanceBars([{ status: 'Due' } as ScheduleRow], 0)).toEqual([])
    expect(buildBalanceBars([row('Due', 0n, 0n)], 0)).toEqual([])
    expect(buildBalanceBars([], 0)).toEqual([])
  })

  it('marks today after the instalments whose day has come', () => {
    const rows = [row('Paid', 1n, 2n, '2026-10-05'), row('Late', 1n, 1n, '2026-11-05'), row('Due', 1n, 0n, '2026-12-05')]
    expect(countRowsUntil(rows, '2026-11-04' as Day)).toBe(1)
    expect(countRowsUntil(rows, '2026-11-05' as Day)).toBe(2)
  })
})

it.each([
  [0n, 100n, 0],
  [1n, 10_000n, 1],
  [172n, 828n, 17],
  [175n, 825n, 18],
  [9_999n, 1n, 99],
  [100n, 0n, 100],
  [0n, 0n, 0],
])('%i beside %i is %i percent', (part, rest, percent) => {
  expect(computeSharePercent(paise(part), paise(rest))).toBe(percent)
})

it('what the lender waived was not paid', () => {
  expect(getUnpaidPrincipal({ principal_outstanding: paise(0n) })).toBe(0n)
  expect(getUnpaidPrincipal({ principal_outstanding: paise(20n), principal_waived: paise(30n) })).toBe(50n)
})
