import { expect, it } from 'vitest'
import type { Loan } from '#contract/loans.ts'
import type { LoanStatus } from '#domain/loans.ts'
import { selectShownLoan } from '#web/loan/select-loan.ts'

const loan = (lan: string, loan_status: LoanStatus) => ({ lan, loan_status }) as Loan
const closed = loan('KST-1', 'CLOSED')
const overdue = loan('KST-2', 'OVERDUE')
const active = loan('KST-3', 'ACTIVE')
const alsoActive = loan('KST-4', 'ACTIVE')

it('preselects the first ACTIVE loan', () => {
  expect(selectShownLoan([closed, overdue, active, alsoActive], null)).toBe(active)
})

it('preselects the first loan when none is ACTIVE', () => {
  expect(selectShownLoan([closed, overdue], null)).toBe(closed)
  expect(selectShownLoan([], null)).toBeUndefined()
})

it('keeps the chosen loan while it is there', () => {
  expect(selectShownLoan([closed, active], 'KST-1')).toBe(closed)
  expect(selectShownLoan([closed, active], 'KST-9')).toBe(active)
})
