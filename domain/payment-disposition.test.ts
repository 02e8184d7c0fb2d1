import { describe, expect, it } from 'vitest'
import { toDay } from './calendar.ts'
import { factsOf, termsOf } from './facts.testing.ts'
import { loanStateDuring } from './loan-state.ts'
import type { LoanFacts } from './loans.ts'
import { paise, rupeesToPaise, zeroPaise } from './money.ts'
import { decideDisposition, isStillOwed, type DispositionInput, type ReportedPayment } from './payment-disposition.ts'
import type { LinkStatus } from './payment-links.ts'

/** A loan of ₹1,20,000 at 12 % a year in 12 instalments of ₹10,662, due on the 5th. */
const terms = termsOf({ annualRatePercent: 12, instalments: 12, firstDueDate: '2024-02-05' })
const buildFacts = (payments: Parameters<typeof factsOf>[2] = []) => factsOf(terms, [['2024-01-05', 120_000]], payments)
const today = toDay('2024-02-05')

const input = (overrides: Partial<DispositionInput> = {}, closedAs: readonly LinkStatus[] = []): DispositionInput => ({
  facts: buildFacts(),
  link: {
    amountPaise: rupeesToPaise(10_662),
    purpose: 'PAY_EMI',
    createdAt: new Date('2024-02-05T09:00:00+05:30'),
    expiresAt: new Date('2024-02-05T10:00:00+05:30'),
    quotedFor: today,
  },
  closedAs: new Set(closedAs),
  countedPaise: 0n,
  hasLaterPayment: false,
  ...overrides,
})
const payment = (overrides: Partial<ReportedPayment> = {}): ReportedPayment => ({
  paidAt: new Date('2024-02-05T09:30:00+05:30'),
  amountPaise: rupeesToPaise(10_662),
  isCaptured: true,
  ...overrides,
})
const countedWithPurpose = { purpose: 'PAY_EMI', returnedAs: null }

describe('a payment of an open link', () => {
  it('counts for the purpose of the link', () => {
    expect(decideDisposition(input(), payment(), today)).toEqual(countedWithPurpose)
  })
  it('is refunded as a duplicate when the link has its whole amount already, and counts while it has less', () => {
    expect(decideDisposition(input({ countedPaise: rupeesToPaise(10_662) }), payment(), today).returnedAs).toBe('duplicate')
    expect(decideDisposition(input({ countedPaise: rupeesToPaise(10_661) }), payment(), today).returnedAs).toBeNull()
  })
  it('counts although nothing is due: the borrower asked for it', () => {
    const facts = buildFacts([['2024-02-04', 10_662, 'PAY_EMI']])
    const link = { ...input().link, purpose: 'OVERDUE' } as const
    expect(decideDisposition(input({ facts, link }), payment(), today)).toEqual({ purpose: 'OVERDUE', returnedAs: null })
  })
  it('that the provider returned without capturing it never counts', () => {
    const returned = payment({ isCaptured: false })
    expect(decideDisposition(input(), returned, today)).toEqual({ purpose: 'PAY_EMI', returnedAs: 'nothing_due' })
    expect(decideDisposition(input({ countedPaise: rupeesToPaise(10_662) }), returned, today).returnedAs).toBe('duplicate')
  })
})

describe('a payment of a closed link', () => {
  it('keeps the purpose when it began before the expiry and nothing else was paid since', () => {
    expect(decideDisposition(input({}, ['expired']), payment(), today)).toEqual(countedWithPurpose)
    const atExpiry = payment({ paidAt: new Date('2024-02-05T10:00:00+05:30') })
    expect(decideDisposition(input({}, ['expired']), atExpiry, today)).toEqual(countedWithPurpose)
  })
  it('settles what is due when it began after the expiry, or the link was cancelled or refused', () => {
    const late = payment({ paidAt: new Date('2024-02-05T10:00:01+05:30') })
    const countedWithoutPurpose = { purpose: null, returnedAs: null }
    expect(decideDisposition(input({}, ['expired']), late, today)).toEqual(countedWithoutPurpose)
    expect(decideDisposition(input({}, ['cancelled']), payment(), today)).toEqual(countedWithoutPurpose)
    expect(decideDisposition(input({}, ['refused']), payment(), today)).toEqual(countedWithoutPurpose)
  })
  it('loses the purpose if the loan has another payment since the link was made, and keeps it after an earlier one of its day', () => {
    const facts = buildFacts([['2024-02-05', 100, 'PAY_EMI']])
    expect(decideDisposition(input({ facts, hasLaterPayment: true }, ['expired']), payment(), today).purpose).toBeNull()
    expect(decideDisposition(input({ facts }, ['expired']), payment(), today).purpose).toBe('PAY_EMI')
  })
  it('loses the purpose where it would use credit that was refunded since', () => {
    const withCredit = buildFacts([['2024-02-05', 15_662, 'PAY_EMI']])
    const amountPaise = loanStateDuring(withCredit, today).allowed.foreclosure?.amountPaise ?? zeroPaise
    const link = { ...input().link, purpose: 'FORECLOSURE', amountPaise } as const
    const decide = (refunds: LoanFacts['refunds']) =>
      decideDisposition(input({ facts: { ...withCredit, refunds }, link }, ['expired']), payment({ amountPaise }), toDay('2024-02-07'))
    expect(decide([])).toEqual({ purpose: 'FORECLOSURE', returnedAs: null })
    const refund = { refundId: 'r1', date: toDay('2024-02-06'), amountPaise: rupeesToPaise(5_000) }
    expect(decide([refund])).toEqual({ purpose: null, returnedAs: 'nothing_due' })
  })
  it('is refunded when nothing is due', () => {
    const withPaidInstalment = buildFacts([['2024-02-04', 10_662, 'PAY_EMI']])
    expect(decideDisposition(input({ facts: withPaidInstalment }, ['cancelled']), payment(), today).returnedAs).toBe('nothing_due')
  })
  it('counts dues up to the later of its own day and the day of the ledger', () => {
    const withPaidInstalment = buildFacts([['2024-02-04', 10_662, 'PAY_EMI']])
    const inMarch = payment({ paidAt: new Date('2024-03-06T09:30:00+05:30') })
    expect(decideDisposition(input({ facts: withPaidInstalment }, ['cancelled']), inMarch, today).returnedAs).toBeNull()
    expect(decideDisposition(input({ facts: withPaidInstalment }, ['cancelled']), payment(), toDay('2024-03-06')).returnedAs).toBeNull()
  })
})

describe('a quote made from 23:30 for the next day', () => {
  const link = {
    amountPaise: paise(1_066_200n),
    purpose: 'PAY_EMI',
    createdAt: new Date('2024-02-05T23:40:00+05:30'),
    expiresAt: new Date('2024-02-06T00:40:00+05:30'),
    quotedFor: toDay('2024-02-06'),
  } as const
  it.each([
    ['2024-02-05T23:50:00+05:30', '2024-02-06'],
    ['2024-02-06T00:10:00+05:30', '2024-02-06'],
    ['2024-02-06T00:40:00+05:30', '2024-02-06'],
    ['2024-02-06T00:40:01+05:30', undefined],
    ['2024-02-07T00:10:00+05:30', undefined],
  ])('a payment at %s is settled by the quote for %s', (paidAt, quotedAheadFor) => {
    const decided = decideDisposition(input({ link }), payment({ paidAt: new Date(paidAt) }), toDay('2024-02-06'))
    expect(decided.quotedAheadFor).toBe(quotedAheadFor)
    expect(decided.purpose).toBe('PAY_EMI')
  })
  it.each(['2024-02-04T23:59:59+05:30', '2024-02-07T00:00:00+05:30'])(
    'is not used for a payment at %s: before its evening or after its day',
    (paidAt) => {
      const openLonger = { ...link, expiresAt: new Date('2024-02-08T00:00:00+05:30') }
      const decided = decideDisposition(input({ link: openLonger }), payment({ paidAt: new Date(paidAt) }), toDay('2024-02-07'))
      expect(decided).toEqual({ purpose: 'PAY_EMI', returnedAs: null })
    },
  )
  it('is not used for a payment that settles what is due', () => {
    const decided = decideDisposition(input({ link }, ['cancelled']), payment({ paidAt: link.createdAt }), toDay('2024-02-06'))
    expect([decided.purpose, decided.quotedAheadFor]).toEqual([null, undefined])
  })
})

describe('what a payment that was not captured was for', () => {
  const owed = (purpose: 'PAY_EMI' | 'OVERDUE' | 'FORECLOSURE', ...payments: NonNullable<Parameters<typeof factsOf>[2]>) =>
    isStillOwed(buildFacts(payments), purpose, toDay('2024-03-06'))
  it('is still owed until it is paid in another way, or the loan is closed', () => {
    expect([owed('OVERDUE'), owed('OVERDUE', ['2024-03-01', 30_000])]).toEqual([true, false])
    expect([owed('PAY_EMI', ['2024-03-01', 30_000]), owed('FORECLOSURE', ['2024-03-01', 30_000])]).toEqual([true, true])
    expect(owed('FORECLOSURE', ['2024-03-01', 140_000, 'FORECLOSURE'])).toBe(false)
  })
})
