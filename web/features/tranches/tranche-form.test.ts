import { describe, expect, test } from 'vitest'
import { toDay } from '#domain/calendar.ts'
import { paise } from '#domain/money.ts'
import { cleanAmount } from '#web/ui/digits.ts'
import { asksForDecision, checkTrancheAmount, isOfferedDay, findRequestObstacle, isPayoutDue, listOtherApproved } from './tranche-form.ts'

const maximum = paise(15_000_000n)

describe('the amount', () => {
  test('whole rupees up to the most', () => {
    expect(checkTrancheAmount('1', maximum)).toEqual({ isValid: true, amount: 100n })
    expect(checkTrancheAmount('150000', maximum)).toEqual({ isValid: true, amount: maximum })
  })
  test('one rupee more than the most is refused', () => {
    expect(checkTrancheAmount('150001', maximum)).toEqual({ isValid: false, problem: 'above_maximum' })
  })
  test('no limit where none is set', () => expect(checkTrancheAmount('99999999999', null).isValid).toBe(true))
  test.each(['', '0', '00', '0.5', '1.', '1e3', '-1', '1,000'])('%s is none', (text) => {
    expect(checkTrancheAmount(text, maximum)).toEqual({ isValid: false, problem: 'not_an_amount' })
  })
  test.each([
    ['1,75,000.50', '175000'],
    ['₹ 2,000.00', '2000'],
    ['१२३४', '1234'],
  ])('what is pasted loses its decimals: %s', (pasted, held) => {
    expect(cleanAmount(pasted).split('.')[0]).toBe(held)
  })
})

const days = { earliest_date: toDay('2026-11-21'), latest_date: toDay('2026-12-20') }

test('a day on offer', () => {
  expect(isOfferedDay(toDay('2026-11-21'), days)).toBe(true)
  expect(isOfferedDay(toDay('2026-12-20'), days)).toBe(true)
  expect(isOfferedDay(toDay('2026-11-20'), days)).toBe(false)
  expect(isOfferedDay(toDay('2026-12-21'), days)).toBe(false)
  expect(isOfferedDay(null, days)).toBe(false)
})

const asked = {
  stage: 'requested',
  status: 'UNKNOWN',
  release_status: 'NOT_RELEASED',
  tranche_amount: paise(100n),
  date_of_disbursement: toDay('2026-12-01'),
  is_editable: true,
  partner_tranche_id: 'T1',
  max_amount: maximum,
} as const

test('the figures of a request leave out the other approved tranches', () => {
  const approved = { ...asked, stage: 'approved', status: 'APPROVED', partner_tranche_id: 'T2' } as const
  const released = { ...asked, stage: 'released', status: 'DISBURSED', partner_tranche_id: 'T3' } as const
  expect(listOtherApproved([asked, approved, released], null)).toEqual([approved])
  expect(listOtherApproved([asked, approved, released], approved)).toEqual([])
})

test('an approved one stays as it is from its day on', () => {
  const approved = { ...asked, stage: 'approved', status: 'APPROVED' } as const
  const today = toDay('2026-11-20')
  expect(isPayoutDue({ ...approved, date_of_disbursement: today }, days)).toBe(true)
  expect(isPayoutDue({ ...approved, date_of_disbursement: days.earliest_date }, days)).toBe(false)
  expect(isPayoutDue({ ...asked, date_of_disbursement: today }, days)).toBe(false)
})

test('saving without a change asks for no new decision', () => {
  const approved = { ...asked, stage: 'approved', status: 'APPROVED' } as const
  expect(asksForDecision(asked, null)).toBe(true)
  expect(asksForDecision(asked, asked)).toBe(false)
  expect(asksForDecision(approved, approved)).toBe(false)
  expect(asksForDecision(asked, approved)).toBe(true)
  expect(asksForDecision({ ...asked, tranche_amount: paise(200n) }, asked)).toBe(true)
  expect(asksForDecision({ ...asked, date_of_disbursement: toDay('2026-12-02') }, asked)).toBe(true)
  // Approved meanwhile with what is saved here again.
  expect(asksForDecision({ ...approved, tranche_amount: paise(200n) }, asked)).toBe(false)
})

describe('what is in the way of a request', () => {
  const loan = { loan_status: 'ACTIVE', allow_tranche_request: true } as const
  const offer = { ...days, allow_create_tranche: true, max_tranche_amount: maximum, tranches: [] }
  test('nothing', () => expect(findRequestObstacle(loan, offer)).toBeNull())
  test.each([
    ['OVERDUE', 'loan_overdue'],
    ['CLOSED', 'loan_closed'],
    ['UNKNOWN', 'loan_unknown'],
  ] as const)('a loan that is %s', (loan_status, obstacle) => {
    expect(findRequestObstacle({ ...loan, loan_status }, offer)).toBe(obstacle)
  })
  test('a lender who takes none', () => expect(findRequestObstacle({ ...loan, allow_tranche_request: false }, offer)).toBe('not_allowed'))
  test('one that is undecided', () => {
    expect(findRequestObstacle(loan, { ...offer, allow_create_tranche: false, tranches: [asked] })).toBe('one_undecided')
  })
  test('no day before the first EMI', () => {
    const none = { ...offer, allow_create_tranche: false, latest_date: toDay('2026-11-20') }
    expect(findRequestObstacle(loan, none)).toBe('no_day_left')
  })
  test('no more, for a reason of the server’s own', () => {
    expect(findRequestObstacle(loan, { ...offer, allow_create_tranche: false })).toBe('not_allowed')
  })
  test('of an overdue loan, what paying does not change', () => {
    const overdue = { ...loan, loan_status: 'OVERDUE' } as const
    expect(findRequestObstacle(overdue, { ...offer, max_tranche_amount: paise(0n) })).toBe('nothing_left')
    expect(findRequestObstacle({ ...overdue, allow_tranche_request: false }, offer)).toBe('not_allowed')
  })
  test('less than a rupee left', () => expect(findRequestObstacle(loan, { ...offer, max_tranche_amount: paise(99n) })).toBe('nothing_left'))
})
