import { describe, expect, test } from 'vitest'
import { toDay } from '#domain/calendar.ts'
import { zeroPaise } from '#domain/money.ts'
import { listFinancialYears, buildFilename, listDocumentOffers } from './generated-offers.ts'

const parts = { principal: zeroPaise, interest: zeroPaise, charges: zeroPaise, tax: zeroPaise }
const row = (due_date: string) => ({
  due_date: toDay(due_date),
  repayment_amount: zeroPaise,
  total_charges: [],
  status: 'Due' as const,
  number: 1,
  pending_amount: zeroPaise,
})
const known = {
  repayment_schedule: [row('2025-04-05')],
  allowed_payments: {
    overdue_payment: { amount: zeroPaise, dpd: 0, parts },
    foreclosure_payment: { amount: zeroPaise, isLimited: false, parts },
    part_payment: { min_allowed_amount: zeroPaise, max_allowed_amount: zeroPaise },
  },
}
const offered = (...args: Parameters<typeof listDocumentOffers>) =>
  listDocumentOffers(...args)
    .filter(({ refusal }) => refusal === null)
    .map(({ type }) => type)

describe('what can be had', () => {
  test('of an active loan: no closure certificate, never a sanction letter or an agreement', () => {
    expect(offered({ loan_status: 'ACTIVE' }, known)).toEqual([
      'statement_of_account',
      'interest_certificate',
      'repayment_schedule',
      'payoff_letter',
    ])
  })
  test('of a closed one: its certificate', () => {
    expect(offered({ loan_status: 'CLOSED' }, known)).toContain('loan_closure_certificate')
  })
  test('of one that does not add up: no certificate', () => {
    expect(offered({ loan_status: 'UNKNOWN' }, known)).not.toContain('loan_closure_certificate')
  })
  test('before the schedule has come: what needs none', () => {
    expect(offered({ loan_status: 'ACTIVE' }, null)).toEqual(['statement_of_account', 'interest_certificate'])
  })
})

describe('the financial years', () => {
  test('from the one before the first instalment to the one today lies in, newest first', () => {
    expect(listFinancialYears(known, toDay('2026-11-20'))).toEqual(['2026-27', '2025-26', '2024-25'])
  })
  test('today’s alone where nothing is known, or all lies ahead', () => {
    expect(listFinancialYears(null, toDay('2027-03-31'))).toEqual(['2026-27'])
    expect(listFinancialYears({ ...known, repayment_schedule: [row('2028-01-05')] }, toDay('2026-11-20'))).toEqual(['2026-27'])
  })
  test('at the turn of a century', () => {
    expect(listFinancialYears(null, toDay('2099-05-01'))).toEqual(['2099-00'])
  })
})

test('the name of the file', () => {
  expect(buildFilename('Statement of account', toDay('2026-11-20'))).toBe('Statement of account_2026-11-20.pdf')
})
