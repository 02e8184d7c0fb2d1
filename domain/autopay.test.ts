import { describe, expect, it } from 'vitest'
import {
  advanceCollection,
  advanceMandate,
  canAdvanceMandate,
  classifyFailure,
  collectionStatuses,
  decideDebit,
  hintAccount,
  isAccountNumber,
  isIfsc,
  isLiveMandate,
  isNewMandate,
  isPaidOtherwise,
  liveMandateStatuses,
  mandateStatuses,
  retryDays,
  type CollectionEvent,
  type CollectionStatus,
  type DebitPart,
  type MandateEvent,
  type MandateStatus,
} from './autopay.ts'
import { toDay } from './calendar.ts'
import { chargeOf, factsOf, termsOf } from './facts.testing.ts'
import { loanStateDuring } from './loan-state.ts'
import type { LoanFacts } from './loans.ts'
import { paise, rupeesToPaise, type Paise } from './money.ts'

const mandateEvents: MandateEvent[] = [
  'issued',
  'link_expired',
  'link_cancelled',
  'approved',
  'confirmed',
  'rejected',
  'paused',
  'resumed',
  'end_requested',
  'ended',
]
const collectionEvents: CollectionEvent[] = ['announced', 'presented', 'captured', 'failed', 'skipped']

describe('the states of a mandate', () => {
  it('lead from creation to its end', () => {
    const after = (...events: MandateEvent[]) => events.reduce<MandateStatus>(advanceMandate, 'creating')
    expect(after('issued', 'approved', 'confirmed')).toBe('active')
    expect(after('issued', 'confirmed', 'paused')).toBe('paused')
    expect(after('issued', 'confirmed', 'paused', 'resumed', 'end_requested', 'ended')).toBe('ended')
    expect(after('issued', 'link_expired')).toBe('expired')
    expect(after('issued', 'link_cancelled')).toBe('cancelled')
    expect(after('issued', 'approved', 'rejected')).toBe('rejected')
  })

  it('never leave a final one, and a declined registration stays open', () => {
    for (const status of mandateStatuses.filter((one) => !isLiveMandate(one)))
      for (const event of mandateEvents) expect(advanceMandate(status, event)).toBe(status)
    expect(advanceMandate('issued', 'rejected')).toBe('issued')
  })

  it('change once by each event: a repeated one has no effect', () => {
    for (const status of mandateStatuses)
      for (const event of mandateEvents) {
        const once = advanceMandate(status, event)
        expect(advanceMandate(once, event)).toBe(once)
        expect(canAdvanceMandate(status, event)).toBe(once !== status)
      }
  })

  it('never go back, except between active and paused', () => {
    const order = ['creating', 'issued', 'initiated', 'active', 'paused', 'ending', 'ended', 'expired', 'cancelled', 'rejected']
    const back = liveMandateStatuses.flatMap((status) =>
      mandateEvents
        .map((event) => advanceMandate(status, event))
        .filter((next) => order.indexOf(next) < order.indexOf(status))
        .map((next) => `${status} ${next}`),
    )
    expect(back).toEqual(['paused active'])
  })
})

describe('the states of a collection', () => {
  it('lead from the plan to the outcome, and a failure can turn out to be captured', () => {
    const after = (...events: CollectionEvent[]) => events.reduce<CollectionStatus>(advanceCollection, 'planned')
    expect(after('announced', 'presented', 'captured')).toBe('captured')
    expect(after('announced', 'presented', 'failed')).toBe('failed')
    expect(after('announced', 'presented', 'failed', 'captured')).toBe('captured')
    expect(after('skipped')).toBe('skipped')
    expect(after('announced', 'skipped')).toBe('skipped')
  })

  it('present nothing that was not announced, and skip nothing that was presented', () => {
    expect(advanceCollection('planned', 'presented')).toBe('planned')
    expect(advanceCollection('presented', 'skipped')).toBe('presented')
    expect(advanceCollection('captured', 'failed')).toBe('captured')
    expect(advanceCollection('skipped', 'presented')).toBe('skipped')
  })

  it('change once by each event', () => {
    for (const status of collectionStatuses)
      for (const event of collectionEvents) {
        const once = advanceCollection(status, event)
        expect(advanceCollection(once, event)).toBe(once)
      }
  })
})

describe('a failed debit', () => {
  it.each([
    ['insufficient_funds', 'funds'],
    ['psp_timeout', 'technical'],
    ['not_presented', 'technical'],
    ['mandate_paused', 'ask_borrower'],
    ['mandate_cancelled', 'mandate_ended'],
    ['mandate_not_active', 'mandate_ended'],
    ['something_new', 'review'],
  ])('%s is of the class %s', (reason, expected) => expect(classifyFailure(reason, { isNew: false })).toBe(expected))

  it('of an eMandate that is new to its bank does not end it', () => {
    expect(classifyFailure('mandate_not_active', { isNew: true })).toBe('technical')
    expect(classifyFailure('insufficient_funds', { isNew: true })).toBe('funds')
    expect(isNewMandate('emandate', toDay('2026-11-01'), toDay('2026-11-06'))).toBe(true)
    expect(isNewMandate('emandate', toDay('2026-11-01'), toDay('2026-11-07'))).toBe(false)
    expect(isNewMandate('upi', toDay('2026-11-01'), toDay('2026-11-02'))).toBe(false)
  })

  const failed = { attempt: 1, debitOn: toDay('2026-11-05'), firstDebitOn: toDay('2026-11-05') }
  it('may be tried again three days later at the earliest, and before the next debit', () => {
    expect(retryDays(failed, toDay('2026-12-02'), toDay('2026-11-05'))).toEqual({ from: '2026-11-08', until: '2026-12-02' })
    expect(retryDays(failed, null, toDay('2026-11-10'))).toEqual({ from: '2026-11-12', until: '2026-12-05' })
    expect(retryDays(failed, toDay('2026-12-02'), toDay('2026-11-30'))).toEqual({ from: '2026-12-02', until: '2026-12-02' })
    expect(retryDays(failed, toDay('2026-12-02'), toDay('2026-12-01'))).toBeNull()
  })

  it('may be tried again within 30 days, however far away the next debit is', () => {
    expect(retryDays(failed, toDay('2027-01-02'), toDay('2026-11-10'))).toEqual({ from: '2026-11-12', until: '2026-12-05' })
  })

  it('may be tried again twice', () => {
    expect(retryDays({ ...failed, attempt: 2 }, null, toDay('2026-11-10'))).not.toBeNull()
    expect(retryDays({ ...failed, attempt: 3 }, null, toDay('2026-11-10'))).toBeNull()
  })
})

const terms = termsOf({ annualRatePercent: 12, instalments: 3, firstDueDate: '2024-02-05' })
const loan = (more: Partial<LoanFacts> = {}, payments: Parameters<typeof factsOf>[2] = [], given = terms) =>
  factsOf(given, [['2024-01-05', 30_000]], payments, more)
const decide = (facts: LoanFacts, day: string, capRupees: number) =>
  decideDebit(facts, loanStateDuring(facts, toDay(day)), toDay(day), rupeesToPaise(capRupees))
const instalment = (dueDate: string, amountPaise: Paise): DebitPart => ({ kind: 'instalment', dueDate: toDay(dueDate), amountPaise })

describe('what is debited', () => {
  it('is everything unpaid that is due, and nothing that is not', () => {
    expect(decide(loan(), '2024-02-05', 13_000)).toEqual({
      kind: 'debit',
      amountPaise: rupeesToPaise(10_201),
      parts: [instalment('2024-02-05', rupeesToPaise(10_201))],
    })
    expect(decide(loan(), '2024-02-04', 13_000)).toEqual({ kind: 'nothing_due' })
    expect(decide(loan({}, [['2024-02-01', 10_201, 'PAY_EMI']]), '2024-02-05', 13_000)).toEqual({ kind: 'nothing_due' })
    expect(decide(loan({}, [['2024-02-01', 200, 'PAY_EMI']]), '2024-02-05', 13_000)).toMatchObject({ amountPaise: rupeesToPaise(10_001) })
  })

  it('is the oldest whole instalments that fit under the cap, charges last', () => {
    const charged = loan({ charges: [chargeOf('c1', '2024-02-10', 590)] })
    expect(decide(charged, '2024-03-05', 25_000)).toMatchObject({ kind: 'debit', amountPaise: rupeesToPaise(20_992) })
    expect(decide(charged, '2024-03-05', 20_500)).toMatchObject({ kind: 'debit', amountPaise: rupeesToPaise(20_402) })
    expect(decide(charged, '2024-03-05', 13_000)).toMatchObject({ kind: 'debit', parts: [instalment('2024-02-05', rupeesToPaise(10_201))] })
  })

  it('is nothing if not even the oldest instalment fits', () => {
    expect(decide(loan(), '2024-02-05', 10_201)).toMatchObject({ kind: 'debit', amountPaise: rupeesToPaise(10_201) })
    expect(decide(loan(), '2024-02-05', 10_000)).toMatchObject({ kind: 'above_cap', amountPaise: rupeesToPaise(10_201) })
    expect(decide(loan(), '2024-03-05', 10_000)).toMatchObject({ kind: 'above_cap', amountPaise: rupeesToPaise(10_201) })
  })

  it('is nothing of a closed loan, and waits for one whose figures are not known', () => {
    const state = loanStateDuring(loan(), toDay('2024-02-05'))
    const decideAs = (status: 'UNKNOWN' | 'CLOSED') => decideDebit(loan(), { ...state, status }, toDay('2024-02-05'), rupeesToPaise(13_000))
    expect([decideAs('CLOSED'), decideAs('UNKNOWN')]).toEqual([{ kind: 'nothing_due' }, { kind: 'unknown' }])
  })

  it('splits no instalment where the product pays charges first', () => {
    const facts = loan({ charges: [chargeOf('c1', '2024-02-04', 590)] }, [], { ...terms, allocation: 'charges_first' })
    expect(decide(facts, '2024-02-05', 13_000)).toMatchObject({ amountPaise: rupeesToPaise(10_791) })
    expect(decide(facts, '2024-02-05', 10_500)).toMatchObject({ kind: 'above_cap', amountPaise: rupeesToPaise(10_791) })
  })

  it('is a charge alone, too', () => {
    const facts = loan({ charges: [chargeOf('c1', '2024-01-20', 590)] })
    expect(decide(facts, '2024-01-25', 13_000)).toMatchObject({ kind: 'debit', amountPaise: rupeesToPaise(590) })
    expect(decide(facts, '2024-01-25', 500)).toMatchObject({ kind: 'above_cap', amountPaise: rupeesToPaise(590) })
  })

  it('is at least one rupee, the least that the provider debits', () => {
    const charged = (rupees: number) => decide(loan({ charges: [chargeOf('c1', '2024-01-20', rupees)] }), '2024-01-25', 13_000)
    expect(charged(0.99)).toEqual({ kind: 'nothing_due' })
    expect(charged(1)).toMatchObject({ kind: 'debit', amountPaise: 100n })
  })

  it('is no rest below one rupee alone: that belongs to the next instalment', () => {
    const rest = loan({}, [['2024-02-05', 10_200.5]])
    expect(decide(rest, '2024-03-05', 10_300)).toMatchObject({ kind: 'debit', amountPaise: rupeesToPaise(10_201.5) })
    expect(decide(rest, '2024-03-05', 9_000)).toEqual({
      kind: 'above_cap',
      amountPaise: rupeesToPaise(10_201.5),
      parts: [instalment('2024-02-05', paise(50n)), instalment('2024-03-05', rupeesToPaise(10_201))],
    })
    const chargeFirst = { ...rest, terms: { ...terms, allocation: 'charges_first' as const }, charges: [chargeOf('c1', '2024-02-20', 590)] }
    expect(decide(chargeFirst, '2024-03-05', 9_000)).toMatchObject({ kind: 'above_cap', amountPaise: rupeesToPaise(10_791.5) })
    // One rupee can be debited.
    expect(decide(loan({}, [['2024-02-05', 10_200]]), '2024-03-05', 9_000)).toMatchObject({ kind: 'debit', amountPaise: 100n })
  })

  it('never exceeds the cap and adds up to its parts', () => {
    const facts = loan({ charges: [chargeOf('c1', '2024-02-10', 590), chargeOf('c2', '2024-02-11', 77.5)] })
    for (let cap = 500; cap < 25_000; cap += 137) {
      const decision = decide(facts, '2024-03-05', cap)
      if (decision.kind !== 'debit') continue
      expect(decision.amountPaise).toBeLessThanOrEqual(rupeesToPaise(cap))
      expect(decision.parts.reduce((sum, part) => sum + part.amountPaise, 0n)).toBe(decision.amountPaise)
    }
  })
})

describe('money whose instalment something else has paid', () => {
  const parts = [instalment('2024-02-05', rupeesToPaise(10_201))]
  const isPaid = (facts: LoanFacts, day: string, of = parts) => isPaidOtherwise(of, facts, loanStateDuring(facts, toDay(day)), toDay(day))

  it('goes back only if nothing is left of what it was for', () => {
    expect(isPaid(loan(), '2024-02-07')).toBe(false)
    expect(isPaid(loan({}, [['2024-02-06', 5_000]]), '2024-02-07')).toBe(false)
    expect(isPaid(loan({}, [['2024-02-06', 10_201]]), '2024-02-07')).toBe(true)
    expect(isPaid(loan({}, [['2024-01-20', 30_145.16, 'FORECLOSURE']]), '2024-02-07')).toBe(true)
  })

  it('goes back although another instalment is unpaid, and stays if one of several is', () => {
    const firstPaid = loan({}, [['2024-02-06', 10_201]])
    expect(isPaid(firstPaid, '2024-03-07')).toBe(true)
    expect(isPaid(firstPaid, '2024-03-07', [...parts, instalment('2024-03-05', rupeesToPaise(10_201))])).toBe(false)
  })

  it('goes back whole if its instalment is paid, although a charge that it was for is unpaid', () => {
    const charge = { kind: 'charge' as const, chargeId: 'c1', amountPaise: paise(59_000n) }
    const withCharge = (payments: Parameters<typeof loan>[1] = []) => loan({ charges: [chargeOf('c1', '2024-01-20', 590)] }, payments)
    expect(isPaid(withCharge([['2024-02-06', 10_201, 'PAY_EMI']]), '2024-02-07', [...parts, charge])).toBe(true)
    expect(isPaid(withCharge(), '2024-02-07', [...parts, charge])).toBe(false)
  })

  it('stays while the figures of the loan are not known', () => {
    const paid = loan({}, [['2024-02-06', 10_201]])
    const state = loanStateDuring(paid, toDay('2024-02-07'))
    expect(isPaidOtherwise(parts, paid, { ...state, status: 'UNKNOWN' }, toDay('2024-02-07'))).toBe(false)
  })

  it('goes back if the charge it was for is waived', () => {
    const charge = { kind: 'charge' as const, chargeId: 'c1', amountPaise: paise(59_000n) }
    expect(isPaid(loan({ charges: [chargeOf('c1', '2024-01-20', 590)] }), '2024-01-25', [charge])).toBe(false)
    const waived = chargeOf('c1', '2024-01-20', 590, { waivedOn: toDay('2024-01-24') })
    expect(isPaid(loan({ charges: [waived] }), '2024-01-25', [charge])).toBe(true)
    const withOther = loan({ charges: [waived, chargeOf('c2', '2024-01-20', 118)] })
    expect([isPaid(withOther, '2024-01-25', [charge]), isPaid(withOther, '2024-02-07', [charge])]).toEqual([true, true])
  })
})

describe('the account of an eMandate', () => {
  it('is checked by its form, and only its end is kept', () => {
    const codes = ['HDFC0000001', 'hdfc0000001', 'HDFC1000001', 'HDFC000001', 'XHDFC0000001', 'HDFC0000001X']
    expect(codes.filter(isIfsc)).toEqual(['HDFC0000001'])
    expect(['123456789', '12345678', '1234567890123456789', '12345678a'].map(isAccountNumber)).toEqual([true, false, false, false])
    expect(hintAccount('HDFC0000001', '1121431121541121')).toBe('HDFC 1121')
  })
})
