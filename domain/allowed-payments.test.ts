import { describe, expect, it } from 'vitest'
import { addDays, toDay } from './calendar.ts'
import { chargeOf, factsOf, termsOf } from './facts.testing.ts'
import { loanStateDuring } from './loan-state.ts'
import type { LoanFacts, LoanTerms } from './loans.ts'
import { paise, paiseToRupees, rupeesToPaise, sumPaise } from './money.ts'
import { quoteParts } from './payment-parts.ts'
import type { AmountParts } from './payments.ts'

/**
 * 30,000 at 12 % in 3 instalments of 10,201: 300 + 9,901, 200.99 + 10,000.01, 100.99 + 10,098.99,
 * due on the 5th from February on.
 */
const terms: LoanTerms = termsOf({ annualRatePercent: 12, instalments: 3, firstDueDate: '2024-02-05' })
const loan = (payments: Parameters<typeof factsOf>[2] = [], more: Partial<LoanFacts> = {}, changed: Partial<LoanTerms> = {}): LoanFacts =>
  factsOf({ ...terms, ...changed }, [['2024-01-05', 30_000]], payments, more)
const allowed = (facts: LoanFacts, day: string) => loanStateDuring(facts, toDay(day)).allowed
const rupees = ({ principalPaise, interestPaise, chargesPaise, taxPaise }: AmountParts) => ({
  principal: paiseToRupees(principalPaise),
  interest: paiseToRupees(interestPaise),
  charges: paiseToRupees(chargesPaise),
  tax: paiseToRupees(taxPaise),
})
const prepaymentCharge = { ratePpb: 20_000_000, taxRatePpb: 180_000_000 }

describe('a loan of which nothing may be paid (decision 34)', () => {
  it.each([
    ['that is not understood', loan([['2023-12-01', 1]])],
    ['without a disbursal', { ...loan(), disbursals: [] }],
  ])('%s: overdue and part payment are zeros, the others left out', (_which, facts) => {
    expect(allowed(facts, '2024-01-20')).toEqual({
      overdue: {
        amountPaise: 0n,
        dpd: 0,
        parts: { principalPaise: 0n, interestPaise: 0n, chargesPaise: 0n, taxPaise: 0n },
      },
      nextEmi: null,
      foreclosure: null,
      partPayment: { minPaise: 0n, maxPaise: 0n },
      linkMaximumPaise: rupeesToPaise(500_000),
    })
  })
})

describe('the overdue amount (decisions 21 and 22)', () => {
  it('leaves the foreclosure on offer, also where as much principal is overdue as is not due yet', () => {
    const { foreclosure } = allowed(loan([], {}, { annualRatePpb: 0, instalments: 2 }), '2024-02-10')
    expect(foreclosure?.amountPaise).toBe(rupeesToPaise(30_000))
  })

  it('does not decide the instalment in force: that is the one of the next row that is not overdue (decision 35)', () => {
    const rateChanges: LoanFacts['rateChanges'] = [{ date: toDay('2024-02-05'), annualRatePpb: 240_000_000, keep: 'tenor' }]
    const state = loanStateDuring(loan([], { rateChanges }), toDay('2024-02-10'))
    expect(state.allowed.overdue.amountPaise).toBe(rupeesToPaise(10_201))
    expect(state.instalmentPaise).toBe(state.rows[1]?.repaymentAmountPaise)
    expect(state.instalmentPaise > rupeesToPaise(10_201)).toBe(true)
  })

  it('names the tax on charges', () => {
    const charges = [chargeOf('b', '2024-01-10', 500), chargeOf('bt', '2024-01-10', 90, { chargeType: 'BOUNCE_CHARGE_TAX' })]
    const { overdue } = allowed(loan([], { charges }), '2024-01-15')
    expect(rupees(overdue.parts)).toEqual({ principal: 0, interest: 0, charges: 500, tax: 90 })
  })

  it('is what is left of every row due before the day, and all charges; DPD counts from the oldest', () => {
    const facts = loan([['2024-02-20', 5_000, null]], { charges: [chargeOf('bounce', '2024-03-01', 250)] })
    const { overdue } = allowed(facts, '2024-03-10')
    expect([paiseToRupees(overdue.amountPaise), overdue.dpd]).toEqual([10_201 - 5_000 + 10_201 + 250, 34])
    expect(rupees(overdue.parts)).toEqual({ principal: 9_901 - 4_700 + 10_000.01, interest: 200.99, charges: 250, tax: 0 })
  })

  it('counts what is left of interest where not even that is paid', () => {
    const { overdue } = allowed(loan([['2024-02-05', 100, null]]), '2024-02-06')
    expect(rupees(overdue.parts)).toEqual({ principal: 9_901, interest: 200, charges: 0, tax: 0 })
  })

  it('holds no row due on the day itself: with an older one unpaid that row is part of the part payment’s minimum only', () => {
    const { overdue, nextEmi } = allowed(loan(), '2024-03-05')
    expect([paiseToRupees(overdue.amountPaise), overdue.dpd, nextEmi]).toEqual([10_201, 29, null])
  })

  it('of an unpaid charge alone has no days past due', () => {
    const { overdue } = allowed(loan([], { charges: [chargeOf('bounce', '2024-01-10', 250)] }), '2024-01-20')
    expect([overdue.amountPaise, overdue.dpd, rupees(overdue.parts).charges]).toEqual([25_000n, 0, 250])
  })
})

describe('the next instalment (decisions 22 and 34)', () => {
  it('is what is left of its row, with its due date', () => {
    const { nextEmi } = allowed(loan([['2024-01-10', 100, 'PAY_EMI']]), '2024-01-20')
    expect([nextEmi?.amountPaise, nextEmi?.dueDate]).toEqual([rupeesToPaise(10_101), '2024-02-05'])
    expect(nextEmi && rupees(nextEmi.parts)).toEqual({ principal: 9_901, interest: 200, charges: 0, tax: 0 })
  })

  it('of which principal is paid in part is the rest of the principal', () => {
    const { nextEmi } = allowed(loan([['2024-01-10', 1_300, 'PAY_EMI']]), '2024-01-20')
    expect(nextEmi && rupees(nextEmi.parts)).toEqual({ principal: 8_901, interest: 0, charges: 0, tax: 0 })
  })

  it('skips a row of nothing, as of a grace period without interest', () => {
    const facts = loan([], {}, { annualRatePpb: 0, principalGraceInstalments: 1 })
    expect(allowed(facts, '2024-01-20').nextEmi).toMatchObject({ amountPaise: rupeesToPaise(15_000), dueDate: '2024-03-05' })
  })

  it('is none after the last row is paid', () => {
    expect(allowed(loan([['2024-01-05', 30_000, 'FORECLOSURE']]), '2024-01-20').nextEmi).toBeNull()
  })

  it.each(['2024-02-20', '2024-03-05'])('contains less than ₹1 that is overdue, which no link carries alone (%s)', (day) => {
    const short = [['2024-02-05', 10_200.67]] as const
    const { overdue, nextEmi } = allowed(loan([...short]), day)
    expect([overdue.amountPaise, nextEmi?.amountPaise, nextEmi?.dueDate]).toEqual([33n, rupeesToPaise(10_201.33), '2024-03-05'])
    expect(nextEmi && rupees(nextEmi.parts)).toEqual({ principal: 10_000.34, interest: 200.99, charges: 0, tax: 0 })
    const paid = loan([...short, [day, 10_201.33, 'PAY_EMI']])
    expect(loanStateDuring(paid, toDay(day))).toMatchObject({ status: 'ACTIVE', duesPaise: 0n, creditPaise: 0n })
    expect(allowed(paid, day).nextEmi?.dueDate).toBe('2024-04-05')
    expect(allowed(loan([['2024-02-05', 10_200]]), day).nextEmi).toBeNull()
  })

  it('waits while interest is deferred: until EMIs begin nothing can be paid ahead (decision 25)', () => {
    const facts = loan([], {}, { firstDueDate: toDay('2024-05-05'), moratorium: { until: toDay('2024-04-05'), interest: 'deferred' } })
    expect(allowed(facts, '2024-02-20').nextEmi).toBeNull()
    expect(allowed(facts, '2024-04-05').nextEmi).toMatchObject({ dueDate: '2024-05-05' })
  })
})

describe('the payoff (decision 24)', () => {
  it('takes the borrower’s own money off as the foreclosure will: interest, principal, charges, tax', () => {
    // On 20 January: interest 145.16, charges 250 + 600, tax 108, principal 30,000.
    const own = (credit: number) => {
      const facts = loan([['2024-01-10', credit, null]], { charges: [chargeOf('bounce', '2024-01-20', 250)] }, { prepaymentCharge })
      const offer = allowed(facts, '2024-01-20').foreclosure
      expect(offer && rupees(offer.owedParts)).toEqual({ principal: 30_000, interest: 145.16, charges: 600, tax: 108 })
      return offer && [paiseToRupees(offer.amountPaise), { ...rupees(offer.parts), credit: paiseToRupees(offer.creditPaise) }]
    }
    // The charge of its own day has taken 250 of the credit by then.
    expect(own(350)).toEqual([30_753.16, { principal: 30_000, interest: 45.16, charges: 600, tax: 108, credit: 100 }])
    expect(own(545.16)).toEqual([30_558, { principal: 29_850, interest: 0, charges: 600, tax: 108, credit: 295.16 }])
    expect(own(30_445.16)).toEqual([658, { principal: 0, interest: 0, charges: 550, tax: 108, credit: 30_195.16 }])
    expect(own(31_003.16)).toEqual([100, { principal: 0, interest: 0, charges: 0, tax: 100, credit: 30_753.16 }])
  })

  it('has the parts that its quote and its receipt have', () => {
    const charges = [
      chargeOf('tax', '2024-02-08', 90, { chargeType: 'BOUNCE_CHARGE_TAX' }),
      chargeOf('bounce', '2024-02-08', 500),
      chargeOf('penal', '2024-02-08', 300, { penal: true }),
    ]
    for (const allocation of ['instalments_first', 'charges_first'] as const)
      for (const credit of [0, 5_000, 20_000, 31_000])
        for (const day of [toDay('2024-01-20'), toDay('2024-02-10')]) {
          const facts = loan([['2024-01-10', credit + 10_201, 'PAY_EMI']], { charges }, { prepaymentCharge, allocation })
          const offer = allowed(facts, day).foreclosure
          if (offer === null) continue
          const quoted = quoteParts(facts, day, day, 'FORECLOSURE', offer.amountPaise)
          const sum = (component: string) =>
            sumPaise(quoted.filter((part) => part.component === component).map(({ amountPaise }) => amountPaise))
          const { principalPaise, interestPaise, chargesPaise, taxPaise } = offer.parts
          expect([day, credit, principalPaise, interestPaise, chargesPaise, taxPaise]).toEqual([
            day,
            credit,
            ...['principal', 'interest', 'charges', 'tax'].map(sum),
          ])
        }
  })

  it('counts unpaid and unbilled principal, unpaid and run interest, and every charge', () => {
    const facts = loan([], { charges: [chargeOf('bounce', '2024-02-10', 250)] }, { prepaymentCharge })
    const offer = allowed(facts, '2024-02-20').foreclosure
    // 15 of 29 days at 200.99, 2 % of 20,099 that are prepaid.
    expect(offer && rupees(offer.parts)).toEqual({
      principal: 30_000,
      interest: 300 + 103.96,
      charges: 250 + 401.98,
      tax: 72.36,
    })
  })

  it('is limited above what one link may carry, and not at it (decision 9)', () => {
    const limited = (limit: number) =>
      allowed(loan([], {}, { linkMaximumPaise: rupeesToPaise(limit) }), '2024-01-05').foreclosure?.isLimited
    expect([limited(30_000), limited(29_999.99)]).toEqual([false, true])
  })

  it('is not offered where no principal is left, though interest is', () => {
    const facts = loan([['2024-01-20', 30_000, 'FORECLOSURE']])
    expect([allowed(facts, '2024-01-20').foreclosure, allowed(facts, '2024-01-20').nextEmi?.amountPaise]).toEqual([null, 14_516n])
  })

  it('is not offered where credit pays all of it', () => {
    expect(allowed(loan([['2024-01-05', 30_000, null]]), '2024-01-05').foreclosure).toBeNull()
    expect(allowed(loan([['2024-01-05', 29_999.99, null]]), '2024-01-05').foreclosure?.amountPaise).toBe(1n)
  })

  it('is offered of the last row, overdue and all billed', () => {
    const facts = loan([
      ['2024-02-05', 10_201, null],
      ['2024-03-05', 10_201, null],
    ])
    expect(allowed(facts, '2024-04-10').foreclosure?.amountPaise).toBe(rupeesToPaise(10_098.99 + 100.99))
  })
})

describe('the part payment (decision 23)', () => {
  it('is from one instalment to all principal but one, each with what is due today and the charges', () => {
    const charges = [chargeOf('bounce', '2024-01-10', 250)]
    expect(allowed(loan([], { charges }), '2024-01-20').partPayment).toEqual({
      minPaise: rupeesToPaise(10_201 + 250),
      maxPaise: rupeesToPaise(30_000 - 10_201 + 250),
    })
  })

  it('has the product’s minimum instead of an instalment', () => {
    const facts = loan([['2024-02-05', 10_201, null]], {}, { partPaymentMinimumPaise: rupeesToPaise(1_000) })
    expect(allowed(facts, '2024-02-20').partPayment).toEqual({
      minPaise: rupeesToPaise(1_000),
      maxPaise: rupeesToPaise(20_099 - 10_201),
    })
  })

  it('is offered where its ends meet, and not where they cross', () => {
    const minimum = (rupeesMin: number) =>
      allowed(loan([], {}, { partPaymentMinimumPaise: rupeesToPaise(rupeesMin) }), '2024-01-20').partPayment
    expect(minimum(19_799)).toEqual({ minPaise: rupeesToPaise(19_799), maxPaise: rupeesToPaise(19_799) })
    expect(minimum(19_799.01)).toEqual({ minPaise: 0n, maxPaise: 0n })
  })

  it('is not offered while an instalment is overdue', () => {
    expect(allowed(loan([], {}, { partPaymentMinimumPaise: paise(100n) }), '2024-02-06').partPayment).toEqual({
      minPaise: 0n,
      maxPaise: 0n,
    })
  })

  it('is not offered where no principal is unbilled, although a charge is due', () => {
    const facts = loan([['2024-01-20', 30_000, 'FORECLOSURE']], { charges: [chargeOf('bounce', '2024-01-25', 20_000)] })
    expect(allowed(facts, '2024-01-25').partPayment).toEqual({ minPaise: 0n, maxPaise: 0n })
    const closedAtOnce = loan([['2024-01-05', 30_000, 'FORECLOSURE']], { charges: [chargeOf('later', '2024-01-25', 100)] })
    expect(allowed(closedAtOnce, '2024-01-25').partPayment).toEqual({ minPaise: 0n, maxPaise: 0n })
  })
})

describe('on every day of a loan paid as offered', () => {
  it('the next instalment offered is the oldest unpaid row (decision 22)', () => {
    let facts = loan()
    const seen = new Set<string>()
    for (let day = toDay('2024-01-05'); day <= '2024-04-05'; day = addDays(day, 10)) {
      const { nextEmi } = allowed(facts, day)
      expect(nextEmi?.dueDate).toBe(loanStateDuring(facts, day).dueDate ?? undefined)
      if (nextEmi === null) break
      seen.add(nextEmi.dueDate)
      facts = {
        ...facts,
        payments: [...facts.payments, { paymentId: day, date: day, amountPaise: nextEmi.amountPaise, purpose: 'PAY_EMI' }],
      }
    }
    expect([...seen]).toEqual(['2024-02-05', '2024-03-05', '2024-04-05'])
  })
})
