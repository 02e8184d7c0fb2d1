import { describe, expect, test } from 'vitest'
import { toDay } from '#domain/calendar.ts'
import { zeroPaise } from '#domain/money.ts'
import { groupRefusals, listDocumentOffers, listFinancialYears, suggestFinancialYear } from './generated-offers.ts'
import { buildFilename } from '#web/loan/document-filename.ts'

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
const unpayable = { ...known, allowed_payments: { ...known.allowed_payments, foreclosure_payment: undefined } }
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
  test('of a closed one: what it is opened for comes first', () => {
    expect(offered({ loan_status: 'CLOSED' }, known).slice(0, 2)).toEqual(['loan_closure_certificate', 'interest_certificate'])
  })
  test('without the schedule: what needs none', () => {
    expect(offered({ loan_status: 'ACTIVE' }, null)).toEqual(['statement_of_account', 'interest_certificate'])
  })
  test('while the schedule loads: each in its place, those that need it marked', () => {
    expect(offered({ loan_status: 'ACTIVE' }, 'loading')).toEqual(offered({ loan_status: 'ACTIVE' }, known))
    const pending = listDocumentOffers({ loan_status: 'ACTIVE' }, 'loading').filter(({ isPending }) => isPending)
    expect(pending.map(({ type }) => type)).toEqual(['repayment_schedule', 'payoff_letter'])
  })
  test('without the schedule: those that need it can be retried, and have no reason of the loan', () => {
    const offers = listDocumentOffers({ loan_status: 'ACTIVE' }, null)
    expect(offers.filter(({ refusal }) => refusal === 'not_loaded').map(({ type }) => type)).toEqual([
      'repayment_schedule',
      'payoff_letter',
    ])
    expect([...groupRefusals(offers).keys()]).toEqual(['loan_not_closed', 'not_issued'])
  })
  test('of a closed one without the schedule: all', () => {
    for (const loaded of [null, 'loading'] as const)
      expect(listDocumentOffers({ loan_status: 'CLOSED' }, loaded)).toEqual(listDocumentOffers({ loan_status: 'CLOSED' }, unpayable))
  })
  test('of a loan that is checked: why it has no interest certificate and no payoff letter', () => {
    for (const loaded of [unpayable, 'loading', null] as const)
      expect(groupRefusals(listDocumentOffers({ loan_status: 'UNKNOWN' }, loaded)).get('loan_unknown')).toEqual([
        'interest_certificate',
        'payoff_letter',
      ])
  })
  test('each reason once, with all its documents', () => {
    expect([...groupRefusals(listDocumentOffers({ loan_status: 'ACTIVE' }, known))]).toEqual([
      ['loan_not_closed', ['loan_closure_certificate']],
      ['not_issued', ['sanction_letter', 'loan_agreement']],
    ])
  })
})

describe('the financial years', () => {
  test('from that of the first disbursal to the one today lies in, newest first', () => {
    const deferred = { disbursed_on: toDay('2024-08-01'), as_of: toDay('2026-07-10') }
    expect(listFinancialYears(deferred)).toEqual(['2026-27', '2025-26', '2024-25'])
    expect(listFinancialYears({ disbursed_on: toDay('2026-02-10'), as_of: toDay('2026-04-01') })).toEqual(['2026-27', '2025-26'])
  })
  test('today’s alone where nothing is disbursed yet', () => {
    expect(listFinancialYears({ as_of: toDay('2027-03-31') })).toEqual(['2026-27'])
  })
  test('suggested is the last one that is over, or the only one', () => {
    expect(suggestFinancialYear(['2026-27', '2025-26', '2024-25'])).toBe('2025-26')
    expect(suggestFinancialYear(['2026-27'])).toBe('2026-27')
  })
  test('at the turn of a century', () => {
    expect(listFinancialYears({ as_of: toDay('2099-05-01') })).toEqual(['2099-00'])
  })
})

test('the name of the file', () => {
  expect(buildFilename('Statement of account', toDay('2026-11-20'))).toBe('Statement of account_2026-11-20.pdf')
})
