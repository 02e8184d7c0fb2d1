import { describe, expect, it } from 'vitest'
import { toDay } from './calendar.ts'
import { chargeOf, factsOf, termsOf } from './facts.testing.ts'
import { foreclosureWaiveOn, amountToCloseOn } from './foreclosure-waive.ts'
import type { LoanFacts, LoanTerms } from './loans.ts'
import { paise, rupeesToPaise } from './money.ts'

/**
 * 30,000 at 12 % in 3 instalments; the payoff of 20 January would be 30,145.16: 15 of 31 days at
 * 300 a month.
 */
const terms: LoanTerms = termsOf({ annualRatePercent: 12, instalments: 3, firstDueDate: '2024-02-05' })
const day = toDay('2024-01-20')
const loan = (payments: Parameters<typeof factsOf>[2] = [], more: Partial<LoanFacts> = {}, changed: Partial<LoanTerms> = {}): LoanFacts =>
  factsOf({ ...terms, ...changed }, [['2024-01-05', 30_000]], payments, more)
const short = [['2024-01-20', 30_100, 'FORECLOSURE']] as const

describe('what may be written off after a short foreclosure (decision 54)', () => {
  it('is what is left, up to the product’s limit and not a paisa more', () => {
    const limit = (rupees: number) => foreclosureWaiveOn(loan(short, {}, { foreclosureWaiveMaximumPaise: rupeesToPaise(rupees) }), day)
    expect(limit(45.16)).toEqual({ amountPaise: 4_516n, refusal: null })
    expect(limit(45.15)).toEqual({ amountPaise: 4_516n, refusal: 'above_maximum' })
  })

  it('is nothing of a loan whose foreclosure did not fall short, though much is left', () => {
    expect(foreclosureWaiveOn(loan(), day)).toEqual({ amountPaise: rupeesToPaise(30_145.16), refusal: 'no_short_foreclosure' })
  })

  it('is nothing of a closed loan: a charge of later is no part of the closing', () => {
    const facts = loan(short, {
      foreclosureWaivers: [{ waiverId: 'w1', date: day, amountPaise: paise(4_516n) }],
      charges: [chargeOf('later', '2024-01-25', 100)],
    })
    expect(foreclosureWaiveOn(facts, toDay('2024-01-25'))).toEqual({ amountPaise: 0n, refusal: 'nothing_left' })
  })

  it('is nothing before the first disbursal, and nothing of a loan that is not understood', () => {
    const nothing = { amountPaise: 0n, refusal: 'no_short_foreclosure' }
    expect(foreclosureWaiveOn({ ...loan(), disbursals: [] }, day)).toEqual(nothing)
    expect(foreclosureWaiveOn({ ...loan(), disbursals: [], charges: [chargeOf('early', '2024-01-10', 100)] }, day)).toEqual(nothing)
    expect(foreclosureWaiveOn(loan([['2024-01-01', 1], ...short]), day)).toEqual(nothing)
  })

  it('is nothing where credit exceeds what is left', () => {
    const facts = loan([['2024-01-06', 30_500, 'FORECLOSURE'], ...short])
    expect(foreclosureWaiveOn(facts, day).amountPaise).toBe(0n)
  })
})

describe('what is still to pay to close the loan', () => {
  it('is the payoff of the day with a prepayment charge (decision 24)', () => {
    expect(amountToCloseOn(loan(), day)).toBe(rupeesToPaise(30_145.16))
    const charged = loan([], {}, { prepaymentCharge: { ratePpb: 20_000_000, taxRatePpb: 180_000_000 } })
    expect(amountToCloseOn(charged, day)).toBe(rupeesToPaise(30_145.16 + 600 + 108))
  })

  it('is nothing of a closed loan, with credit or without', () => {
    expect(amountToCloseOn(loan([['2024-01-20', 30_145.16, 'FORECLOSURE']]), day)).toBe(0n)
    expect(amountToCloseOn(loan([['2024-01-20', 30_200, 'FORECLOSURE']]), day)).toBe(0n)
  })

  it('is nothing before the first disbursal, and nothing of a loan that is not understood', () => {
    expect(amountToCloseOn({ ...loan(), disbursals: [] }, day)).toBe(0n)
    expect(amountToCloseOn({ ...loan(), disbursals: [], charges: [chargeOf('early', '2024-01-10', 100)] }, day)).toBe(0n)
    expect(amountToCloseOn(loan([['2024-01-01', 1]]), day)).toBe(0n)
  })
})
