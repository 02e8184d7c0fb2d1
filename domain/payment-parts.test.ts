import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addDays, toDay } from './calendar.ts'
import { chargeOf, factsOf, termsOf } from './facts.testing.ts'
import { loanStateDuring } from './loan-state.ts'
import type { LoanFacts } from './loans.ts'
import { paise, rupeesToPaise, type Paise } from './money.ts'
import { quoteParts, type PaymentPart } from './payment-parts.ts'
import { refusePayment, type AllowedPayments, type AmountParts, type PaymentPurpose } from './payments.ts'
import { randomLoan } from './random-loan.testing.ts'

const seed = 20_261_120
const total = (parts: readonly PaymentPart[], component?: PaymentPart['component']): bigint =>
  parts.filter((part) => component === undefined || part.component === component).reduce((sum, part) => sum + part.amountPaise, 0n)

/** Every payment that is on offer, a part payment at both its ends. */
function offers({ overdue, nextEmi, foreclosure, partPayment }: AllowedPayments): [PaymentPurpose, Paise, AmountParts | null][] {
  return [
    ...(overdue.amountPaise > 0n ? [['OVERDUE', overdue.amountPaise, overdue.parts] as [PaymentPurpose, Paise, AmountParts]] : []),
    ...(nextEmi ? [['PAY_EMI', nextEmi.amountPaise, nextEmi.parts] as [PaymentPurpose, Paise, AmountParts]] : []),
    ...(foreclosure ? [['FORECLOSURE', foreclosure.amountPaise, foreclosure.parts] as [PaymentPurpose, Paise, AmountParts]] : []),
    ...(partPayment.maxPaise > 0n
      ? ([
          ['PART_PAYMENT__REDUCE_EMI', partPayment.minPaise, null],
          ['PART_PAYMENT__REDUCE_TENOR', partPayment.maxPaise, null],
        ] as [PaymentPurpose, Paise, null][])
      : []),
  ]
}

describe('the parts of a quote', () => {
  it('add up to the amount, and are those of the offer, for every offer of many loans', () => {
    const seen = new Set<PaymentPurpose>()
    fc.assert(
      fc.property(fc.nat(), fc.nat(20), fc.nat(40), (loanSeed, events, later) => {
        const { facts, last } = randomLoan(loanSeed, events)
        const day = addDays(last, later)
        for (const [purpose, amountPaise, parts] of offers(loanStateDuring(facts, day).allowed)) {
          seen.add(purpose)
          const quoted = quoteParts(facts, day, day, purpose, amountPaise)
          expect(total(quoted)).toBe(amountPaise)
          for (const part of quoted) expect(part.amountPaise).toBeGreaterThan(0n)
          // What is on offer leaves nothing over.
          expect(total(quoted, 'credit')).toBe(0n)
          // The loan's own credit settles a part of a foreclosure too; which part, the offer and the posting may say differently.
          if (parts !== null && !parts.creditPaise) expect(sums(quoted)).toEqual(sumsOf(parts))
        }
      }),
      { seed, numRuns: 300 },
    )
    expect([...seen].toSorted()).toEqual(['FORECLOSURE', 'OVERDUE', 'PART_PAYMENT__REDUCE_EMI', 'PART_PAYMENT__REDUCE_TENOR', 'PAY_EMI'])
  })

  const sums = (parts: readonly PaymentPart[]) => ({
    principal: total(parts, 'principal'),
    interest: total(parts, 'interest'),
    charges: total(parts, 'charges') + total(parts, 'tax'),
  })
  const sumsOf = ({ principalPaise, interestPaise, chargesPaise, taxPaise }: AmountParts) => ({
    principal: principalPaise as bigint,
    interest: interestPaise as bigint,
    charges: chargesPaise + taxPaise,
  })

  const terms = termsOf({ annualRatePercent: 12, instalments: 12, firstDueDate: '2026-02-05' })
  const loan = (more: Partial<LoanFacts> = {}) => factsOf(terms, [['2026-01-05', 120_000]], [], more)
  const day = toDay('2026-03-01')
  const offer = (facts: LoanFacts, on = day) => loanStateDuring(facts, on).allowed

  it('name the instalment and its day', () => {
    const [interest, principal] = quoteParts(
      loan(),
      toDay('2026-01-20'),
      toDay('2026-01-20'),
      'PAY_EMI',
      offer(loan(), toDay('2026-01-20')).nextEmi?.amountPaise ?? paise(0n),
    )
    expect([interest, principal]).toMatchObject([
      { component: 'interest', instalmentNumber: 1, dueDate: '2026-02-05', chargeType: null, amountPaise: 120_000n },
      { component: 'principal', instalmentNumber: 1, dueDate: '2026-02-05' },
    ])
  })

  it('name the charges, and keep tax apart', () => {
    const facts = loan({
      charges: [
        chargeOf('c1', '2026-02-10', 118, { chargeType: 'BOUNCE_CHARGE' }),
        chargeOf('c2', '2026-02-10', 18, { chargeType: 'BOUNCE_CHARGE_TAX' }),
      ],
    })
    const parts = quoteParts(facts, day, day, 'OVERDUE', offer(facts).overdue.amountPaise)
    expect(parts.slice(2)).toEqual([
      { component: 'charges', instalmentNumber: null, dueDate: null, chargeType: 'BOUNCE_CHARGE', amountPaise: rupeesToPaise(118) },
      { component: 'tax', instalmentNumber: null, dueDate: null, chargeType: 'BOUNCE_CHARGE_TAX', amountPaise: rupeesToPaise(18) },
    ])
  })

  it('of a foreclosure tell what is overdue by its instalment, and the rest as principal before its time', () => {
    const facts = loan()
    const amountPaise = offer(facts).foreclosure?.amountPaise ?? paise(0n)
    expect(refusePayment(offer(facts), 'FORECLOSURE', amountPaise)).toBeNull()
    const parts = quoteParts(facts, day, day, 'FORECLOSURE', amountPaise)
    expect(parts.map(({ component, instalmentNumber }) => [component, instalmentNumber])).toEqual([
      ['interest', 1],
      ['principal', 1],
      ['interest', null],
      ['principal', null],
    ])
  })
})
