import { describe, expect, it } from 'vitest'
import { debitMaximum, type AutopayRules } from './autopay.ts'
import { autopayOffer, capFor, expectLastDueDate, firstDueFrom, refuseCap } from './autopay-offer.ts'
import { toDay } from './calendar.ts'
import { factsOf, termsOf } from './facts.testing.ts'
import { loanStateDuring } from './loan-state.ts'
import type { LoanFacts } from './loans.ts'
import { rupeesToPaise } from './money.ts'

const rules: AutopayRules = {
  methods: ['upi', 'emandate'],
  upiDebitMaximumPaise: rupeesToPaise(15_000),
  upiMandateMaximumPaise: rupeesToPaise(99_999),
}
const terms = termsOf({ annualRatePercent: 12, instalments: 3, firstDueDate: '2024-02-05' })
const loan = (more: Partial<LoanFacts> = {}, payments: Parameters<typeof factsOf>[2] = [], given = terms) =>
  factsOf(given, [['2024-01-05', 30_000]], payments, more)
const offerOn = (facts: LoanFacts, day: string, with_ = rules) => autopayOffer(facts, loanStateDuring(facts, toDay(day)), with_, toDay(day))

describe('the offer', () => {
  it('caps debits at 1.25 × the instalment, up to the next 500', () => {
    expect(capFor(rupeesToPaise(10_201), rupeesToPaise(99_999))).toBe(rupeesToPaise(13_000))
    expect(capFor(rupeesToPaise(8_000), rupeesToPaise(99_999))).toBe(rupeesToPaise(10_000))
    expect(capFor(rupeesToPaise(8_000.01), rupeesToPaise(99_999))).toBe(rupeesToPaise(10_500))
    expect(capFor(rupeesToPaise(90_000), rupeesToPaise(99_999))).toBe(rupeesToPaise(99_999))
  })

  it('begins with the first due date that leaves three days', () => {
    expect(offerOn(loan(), '2024-02-02')?.firstDebitOn).toBe('2024-02-05')
    expect(offerOn(loan(), '2024-02-03')?.firstDebitOn).toBe('2024-03-05')
  })

  it('begins after what is paid ahead, and never with what is not known', () => {
    expect(offerOn(loan({}, [['2024-01-20', 10_201, 'PAY_EMI']]), '2024-01-25')?.firstDebitOn).toBe('2024-03-05')
    const state = loanStateDuring(loan(), toDay('2024-01-25'))
    const unknown = { ...state, rows: state.rows.map((row) => ({ ...row, status: 'Unknown' as const })) }
    expect(firstDueFrom(unknown, toDay('2024-01-25'))).toBeNull()
    expect(autopayOffer(loan(), { ...state, status: 'UNKNOWN' }, rules, toDay('2024-01-25'))).toBeNull()
  })

  it('counts the instalment of a higher rate', () => {
    const raised = loan({ rateChanges: [{ date: toDay('2024-01-10'), annualRatePpb: 480_000_000, keep: 'tenor' }] })
    // More than 10,800 instead of 10,201, times 1.25.
    expect(offerOn(raised, '2024-01-20')?.methods[0]?.maximumPaise).toBe(rupeesToPaise(14_000))
  })

  it('says that the app asks for the PIN above 15,000 each time', () => {
    const offered = (rupees: number) =>
      offerOn(loan({}, [], { ...terms, fixedInstalmentPaise: rupeesToPaise(rupees) }), '2024-01-10', {
        ...rules,
        upiDebitMaximumPaise: rupeesToPaise(20_000),
      })?.methods.map(({ needsPinEachTime }) => needsPinEachTime)
    expect(offered(15_000)).toEqual([false, false])
    expect(offered(15_001)).toEqual([true, false])
  })

  it('has UPI up to its limit, and an eMandate above', () => {
    expect(offerOn(loan(), '2024-01-10')?.methods.map(({ method }) => method)).toEqual(['upi', 'emandate'])
    const toThePaisa = { ...rules, upiDebitMaximumPaise: rupeesToPaise(10_201) }
    expect(offerOn(loan(), '2024-01-10', toThePaisa)?.methods.map(({ method }) => method)).toEqual(['upi', 'emandate'])
    const large = factsOf(terms, [['2024-01-05', 60_000]])
    expect(offerOn(large, '2024-01-10')?.methods.map(({ method }) => method)).toEqual(['emandate'])
    expect(offerOn(large, '2024-01-10', { ...rules, methods: ['upi'] })).toBeNull()
  })

  it('counts the instalment as if the whole loan were disbursed', () => {
    const partly = loan({ sanctionedPaise: rupeesToPaise(60_000) })
    expect(offerOn(partly, '2024-01-10')?.methods).toEqual([
      { method: 'emandate', maximumPaise: rupeesToPaise(26_000), limitPaise: rupeesToPaise(10_000_000), needsPinEachTime: false },
    ])
  })

  const partOf = (sanctionedRupees: number, disbursedRupees: number, given: LoanFacts['terms']) =>
    factsOf(given, [['2026-09-05', disbursedRupees]], [], { sanctionedPaise: rupeesToPaise(sanctionedRupees) })

  it('counts the instalment after a grace', () => {
    const grace = termsOf({ annualRatePercent: 11, instalments: 60, firstDueDate: '2026-10-05', principalGraceInstalments: 24 })
    // 36 instalments of 19,644, not 60 of 13,046.
    const offered = [{ method: 'emandate', maximumPaise: rupeesToPaise(25_000) }]
    expect(offerOn(partOf(600_000, 300_000, grace), '2026-09-20')?.methods).toMatchObject(offered)
    expect(offerOn(partOf(600_000, 600_000, grace), '2026-09-20')?.methods).toMatchObject(offered)
  })

  it('counts deferred interest, of what is not disbursed from today', () => {
    const moratorium = { until: toDay('2030-07-05'), interest: 'deferred' } as const
    const deferred = termsOf({ annualRatePercent: 11, instalments: 120, firstDueDate: '2030-08-05', moratorium })
    const capOn = (day: string) => offerOn(partOf(1_000_000, 250_000, deferred), day)?.methods.map(({ maximumPaise }) => maximumPaise)
    // Without any interest, 13,776 and a cap of 17,500.
    expect(capOn('2026-09-20')).toEqual([rupeesToPaise(24_500)])
    expect(capOn('2029-09-20')).toEqual([rupeesToPaise(20_500)])
  })

  it('counts what is not disbursed over all EMIs, also when few are left', () => {
    const facts = partOf(1_000_000, 800_000, termsOf({ annualRatePercent: 11, instalments: 120, firstDueDate: '2026-10-05' }))
    const caps = ['2026-09-20', '2036-06-20'].map((day) => offerOn(facts, day)?.methods[0]?.maximumPaise)
    expect(caps).toEqual([rupeesToPaise(17_500), rupeesToPaise(17_500)])
  })

  it('needs instalments that are left, on a loan that is active or overdue', () => {
    expect(offerOn(loan(), '2024-02-20')).not.toBeNull()
    expect(offerOn(loan(), '2024-06-01')).toBeNull()
    expect(offerOn(loan({}, [['2024-01-20', 30_145.16, 'FORECLOSURE']]), '2024-01-25')).toBeNull()
    expect(offerOn(loan(), '2024-01-10', { ...rules, methods: [] })).toBeNull()
  })

  it('takes a cap between the one on offer and the limit of the method', () => {
    const [upi] = offerOn(loan(), '2024-01-10')!.methods
    expect(refuseCap(rupeesToPaise(13_000), upi!)).toBeNull()
    expect(refuseCap(rupeesToPaise(12_999), upi!)).toBe('below_offer')
    expect(refuseCap(rupeesToPaise(99_999), upi!)).toBeNull()
    expect(refuseCap(rupeesToPaise(100_000), upi!)).toBe('above_limit')
  })

  it('never debits more by UPI than its own limit', () => {
    expect(debitMaximum({ method: 'upi', maximumPaise: rupeesToPaise(18_000) }, rules)).toBe(rupeesToPaise(15_000))
    expect(debitMaximum({ method: 'upi', maximumPaise: rupeesToPaise(8_500) }, rules)).toBe(rupeesToPaise(8_500))
    expect(debitMaximum({ method: 'emandate', maximumPaise: rupeesToPaise(18_000) }, rules)).toBe(rupeesToPaise(18_000))
  })
})

describe('the last due date', () => {
  const lastOn = (facts: LoanFacts, day: string) => expectLastDueDate(facts, loanStateDuring(facts, toDay(day)), toDay(day))
  const fixed = termsOf({
    annualRatePercent: 11,
    instalments: 120,
    firstDueDate: '2026-02-05',
    fixedInstalmentPaise: rupeesToPaise(14_000),
  })
  const facts = factsOf(fixed, [['2026-01-05', 100_000]], [], { sanctionedPaise: rupeesToPaise(900_000) })

  it('is that of the wholly disbursed loan: a fixed instalment repays the first amount early', () => {
    expect(loanStateDuring(facts, toDay('2026-01-20')).rows.at(-1)?.dueDate).toBe('2026-09-05')
    expect(lastOn(facts, '2026-01-20')).toBe('2034-02-05')
  })

  it('is the loan’s own if all is disbursed, and never before today', () => {
    const whole = { ...facts, sanctionedPaise: rupeesToPaise(100_000) }
    expect([lastOn(whole, '2026-01-20'), lastOn(whole, '2027-01-20')]).toEqual(['2026-09-05', '2027-01-20'])
  })
})
