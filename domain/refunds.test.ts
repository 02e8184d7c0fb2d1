import { describe, expect, it } from 'vitest'
import { toDay } from './calendar.ts'
import { chargeOf, factsOf, termsOf } from './facts.testing.ts'
import { loanStateAtEndOf, loanStateDuring } from './loan-state.ts'
import type { LoanFacts, LoanState, ReceivedPayment } from './loans.ts'
import { paise, paiseToRupees, rupeesToPaise } from './money.ts'
import { advanceRefund, refundReasonFor, refundStatuses, type ReceivingLink } from './refunds.ts'

/** 1,20,000 at 12 % in 12 instalments of 10,662, due on the 5th. */
const terms = termsOf({ annualRatePercent: 12, instalments: 12, firstDueDate: '2024-02-05' })
const loan = (payments: Parameters<typeof factsOf>[2] = [], more: Partial<LoanFacts> = {}): LoanFacts =>
  factsOf(terms, [['2024-01-05', 120_000]], payments, more)
const refund = (date: string, rupees: number) => ({ refundId: 'r1', date: toDay(date), amountPaise: rupeesToPaise(rupees) })
const figures = ({ duesPaise, creditPaise, heldPaise, refundShortPaise }: LoanState) => ({
  dues: paiseToRupees(duesPaise),
  credit: paiseToRupees(creditPaise),
  held: paiseToRupees(heldPaise),
  short: paiseToRupees(refundShortPaise),
})
const during = (facts: LoanFacts, day: string) => loanStateDuring(facts, toDay(day))

describe('a payment that goes back', () => {
  const held = (facts: LoanFacts, rupees: number): LoanFacts => ({
    ...facts,
    payments: facts.payments.map((payment) => ({ ...payment, heldPaise: rupeesToPaise(rupees) })),
  })

  it('counts for nothing, whatever falls due meanwhile', () => {
    const facts = held(loan([['2024-02-01', 10_662, 'PAY_EMI']]), 10_662)
    const state = during(facts, '2024-03-10')
    expect(figures(state)).toEqual({ dues: 21_324, credit: 0, held: 10_662, short: 0 })
    expect(state.allocations[0]?.lines).toEqual([
      { component: 'held', instalmentNumber: null, chargeId: null, amountPaise: rupeesToPaise(10_662) },
    ])
    expect(state.rows).toEqual(during(loan(), '2024-03-10').rows)
  })

  it('counts as far as it stays', () => {
    const state = during(held(loan([['2024-02-05', 12_000, 'PAY_EMI']]), 2_000), '2024-02-06')
    expect(figures(state)).toEqual({ dues: 662, credit: 0, held: 2_000, short: 0 })
  })

  it('closes no loan', () => {
    const payoff = during(loan(), '2024-02-01').allowed.foreclosure?.amountPaise ?? paise(0n)
    const state = during(held(loan([['2024-02-01', payoff, 'FORECLOSURE']]), Number(paiseToRupees(payoff))), '2024-02-01')
    expect(state).toMatchObject({ status: 'ACTIVE', principalOutstandingPaise: rupeesToPaise(120_000), shortForeclosures: [] })
  })
})

describe('credit that is sent back', () => {
  const overpaid = [['2024-02-05', 15_000, null]] as const

  it('is no credit from its day on, so no later due date takes it', () => {
    const facts = loan(overpaid, { refunds: [refund('2024-02-20', 4_338)] })
    expect(figures(during(facts, '2024-02-19'))).toEqual({ dues: 0, credit: 4_338, held: 0, short: 0 })
    expect(figures(during(facts, '2024-02-20'))).toEqual({ dues: 0, credit: 0, held: 4_338, short: 0 })
    expect(figures(loanStateAtEndOf(facts, toDay('2024-03-05')))).toEqual({ dues: 10_662, credit: 0, held: 4_338, short: 0 })
    expect(during(facts, '2024-03-06').adjustments).toEqual([])
  })

  it('in part leaves the rest for what falls due', () => {
    const facts = loan(overpaid, { refunds: [refund('2024-02-20', 4_000)] })
    expect(figures(during(facts, '2024-03-06'))).toEqual({ dues: 10_324, credit: 0, held: 4_000, short: 0 })
  })

  it('counts on its day after the payments of that day', () => {
    const facts = loan(overpaid, { refunds: [refund('2024-02-05', 4_338)] })
    expect(figures(during(facts, '2024-02-05'))).toMatchObject({ credit: 0, held: 4_338, short: 0 })
  })

  it('that a charge of before had taken is short until credit comes again', () => {
    const charge = chargeOf('c1', '2024-02-10', 338)
    const facts = loan(overpaid, { charges: [charge], refunds: [refund('2024-02-20', 4_338)] })
    expect(figures(during(facts, '2024-02-20'))).toEqual({ dues: 0, credit: 0, held: 4_000, short: 338 })
    const later = loan([...overpaid, ['2024-02-25', 500, null]], { charges: [charge], refunds: [refund('2024-02-20', 4_338)] })
    expect(figures(during(later, '2024-02-25'))).toEqual({ dues: 0, credit: 162, held: 4_338, short: 0 })
  })
})

describe('what goes back by itself (decision 49)', () => {
  const emi = rupeesToPaise(10_662)
  const payment = (date: string, purpose: ReceivedPayment['purpose'] = null): ReceivedPayment => ({
    paymentId: 'new',
    date: toDay(date),
    amountPaise: emi,
    purpose,
  })
  const link = (more: Partial<ReceivingLink> = {}): ReceivingLink => ({ amountPaise: emi, countedPaise: 0n, isClosed: false, ...more })
  const reason = (facts: LoanFacts, of: ReceivedPayment, on: ReceivingLink, today = of.date) => refundReasonFor(facts, of, on, today)

  it('is a second payment of one link, even with dues', () => {
    expect(reason(loan(), payment('2024-03-10'), link({ countedPaise: emi }))).toBe('duplicate')
  })
  it('is not the rest of a link that was paid in part', () => {
    expect(reason(loan(), payment('2024-02-01', 'PAY_EMI'), link({ countedPaise: 1n }))).toBeNull()
  })
  it('is nothing of an open link, even where nothing is due', () => {
    expect(reason(loan(), payment('2024-02-01'), link())).toBeNull()
  })
  it('is money on a closed link that finds nothing due', () => {
    expect(reason(loan(), payment('2024-02-01'), link({ isClosed: true }))).toBe('nothing_due')
  })
  it('is not money on a closed link that finds dues, of its own day or of today', () => {
    expect(reason(loan(), payment('2024-02-10'), link({ isClosed: true }))).toBeNull()
    expect(reason(loan(), payment('2024-02-01'), link({ isClosed: true }), toDay('2024-02-05'))).toBeNull()
  })
  it('is not what pays the instalment it was made for', () => {
    expect(reason(loan(), payment('2024-02-01', 'PAY_EMI'), link({ isClosed: true }))).toBeNull()
  })
  it('is judged by where this payment goes, whatever became of earlier ones', () => {
    const paid = loan([['2024-01-20', 10_662, 'PAY_EMI']])
    expect(reason(paid, payment('2024-02-01'), link({ isClosed: true }))).toBe('nothing_due')
  })
  it('is not what pays an instalment in part and leaves the rest over', () => {
    const more = { ...payment('2024-02-01', 'PAY_EMI'), amountPaise: rupeesToPaise(11_000) }
    expect(reason(loan(), more, link({ isClosed: true }))).toBeNull()
  })
  it('is nothing of a loan that is not understood', () => {
    expect(reason(loan([['2023-01-01', 1]]), payment('2024-02-01'), link({ isClosed: true }))).toBeNull()
  })
})

describe("a refund's status", () => {
  it('goes forward only; what was refused may turn out to have been sent', () => {
    const moves = refundStatuses.flatMap((from) =>
      refundStatuses.filter((to) => to !== from && advanceRefund(from, to) === to).map((to) => `${from} ${to}`),
    )
    expect(moves).toEqual(['asked pending', 'asked processed', 'asked failed', 'pending processed', 'pending failed', 'failed processed'])
  })
})
