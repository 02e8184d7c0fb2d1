import { expect, it } from 'vitest'
import { paise } from '#domain/money.ts'
import { row } from '../samples.testkit.ts'
import { sumCharges, matchesFilter, findNextUnpaidRow, countScheduleRows } from './schedule-rows.ts'

const rows = [
  row(1, { status: 'Paid' }),
  row(2, { status: 'Paid' }),
  row(3, { status: 'Late' }),
  row(4, { status: 'Due' }),
  row(5, { status: 'Due' }),
  row(6, { status: 'Unknown' }),
]

it('counts total, paid, due and late; a row of unknown status counts in the total only', () => {
  expect(countScheduleRows(rows)).toEqual({ total: 6, paid: 2, due: 2, late: 1 })
})

it('filters by what was counted', () => {
  const numbers = (filter: 'total' | 'paid' | 'due' | 'late') =>
    rows.filter((each) => matchesFilter(each, filter)).map(({ number }) => number)
  expect(numbers('total')).toEqual([1, 2, 3, 4, 5, 6])
  expect(numbers('paid')).toEqual([1, 2])
  expect(numbers('due')).toEqual([4, 5])
  expect(numbers('late')).toEqual([3])
})

it('sums the pending charges of a row', () => {
  const charge = (total_pending_amount: bigint) => ({ charge_type: 'late_payment', total_pending_amount: paise(total_pending_amount) })
  expect(sumCharges(row(1))).toBe(0n)
  expect(sumCharges(row(1, { total_charges: [charge(50_000n), charge(1n)] }))).toBe(50_001n)
})

it('finds the first row that wants money', () => {
  expect(findNextUnpaidRow(rows)?.number).toBe(3)
  expect(findNextUnpaidRow(rows.filter(({ status }) => status === 'Paid'))).toBeUndefined()
})
