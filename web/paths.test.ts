import { expect, test } from 'vitest'
import { isLoanTab, loanTabPath } from './paths.ts'

test('the default tab has the short address', () => {
  expect(loanTabPath('loan-details')).toBe('/active-loans')
  expect(loanTabPath('payments')).toBe('/active-loans/payments')
})

test('only the three tabs are tabs', () => {
  expect(['loan-details', 'payments', 'documents', 'nope', ''].filter(isLoanTab)).toEqual(['loan-details', 'payments', 'documents'])
})
