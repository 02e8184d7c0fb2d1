import { expect, test } from 'vitest'
import { computeAge, isUrgent, readLoanTask, readQueueQuery } from './queue-state.ts'

test.each([
  [{}, {}],
  [
    { list: 'mine', kind: 'charge_add', page: '3' },
    { list: 'mine', kind: 'charge_add', page: 3 },
  ],
  [{ list: 'nonsense', kind: 'rob_bank', page: '-1', more: 'x' }, {}],
  [{ page: '1' }, {}],
])('the list of %j', (params, query) => {
  expect(readQueueQuery(params)).toEqual(query)
})

const at = (hours: number): number => hours * 3_600_000

test.each([
  [0.5, { unit: 'hours', count: 0 }],
  [5.9, { unit: 'hours', count: 5 }],
  [47.9, { unit: 'hours', count: 47 }],
  [48, { unit: 'days', count: 2 }],
  // The device's clock may be behind the server's.
  [-1, { unit: 'hours', count: 0 }],
])('%d hours old', (hours, age) => {
  expect(computeAge(new Date(0), at(hours))).toEqual(age)
})

test('a proposal is urgent in its last day', () => {
  expect(isUrgent(new Date(at(72)), at(47))).toBe(false)
  expect(isUrgent(new Date(at(72)), at(49))).toBe(true)
})

test('a link opens the dialog of a kind that changes a loan, and no other', () => {
  expect(readLoanTask({ do: 'credit_refund' })).toEqual({ do: 'credit_refund' })
  expect(readLoanTask({ do: 'paper_publish' })).toEqual({ do: 'paper_publish' })
  expect(readLoanTask({ do: 'review_resolve' })).toEqual({})
  expect(readLoanTask({ do: 'rate_reset_run' })).toEqual({})
  expect(readLoanTask({ do: 'nonsense' })).toEqual({})
})
