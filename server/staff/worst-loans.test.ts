import { expect, test } from 'vitest'
import { findWorstLoan, type ListedLoan } from './worst-loans.ts'

const loan = (lan: string, loan_status: ListedLoan['loan_status'], dpd = 0): ListedLoan => ({ lan, loan_status, dpd })

test('the loan most days past due is the worst', () => {
  expect(findWorstLoan([loan('a', 'CLOSED'), loan('b', 'OVERDUE', 12), loan('c', 'OVERDUE', 45), loan('d', 'ACTIVE')])?.lan).toBe('c')
})
test('of equal days overdue comes before unknown, active and closed, then the first', () => {
  const loans = [loan('a', 'CLOSED'), loan('b', 'ACTIVE'), loan('c', 'ACTIVE'), loan('d', 'UNKNOWN'), loan('e', 'OVERDUE')]
  const order: string[] = []
  for (let left = loans; left.length > 0; left = left.filter(({ lan }) => !order.includes(lan))) order.push(findWorstLoan(left)?.lan ?? '')
  expect(order).toEqual(['e', 'd', 'b', 'c', 'a'])
})
test('without a loan there is none', () => expect(findWorstLoan([])).toBeNull())
