import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addDays, toDay, type Day } from './calendar.ts'
import { factsOf, termsOf } from './facts.testing.ts'
import { loanStateDuring } from './loan-state.ts'
import type { LoanFacts, LoanTerms } from './loans.ts'
import { rupeesToPaise } from './money.ts'
import { computeResetOffer, type ResetOffer } from './reset-offer.ts'

/**
 * The number of rows after a change, where the EMI before the change was paid ahead: it bills too
 * much or too little interest, which the next row makes up for (decisions 23 and 25).
 */
const termsBy = (interest: LoanTerms['interest']) =>
  termsOf({ annualRatePercent: 12, instalments: 60, firstDueDate: '2026-02-05', interest })
type Payment = Parameters<typeof factsOf>[2] extends readonly (infer P)[] | undefined ? P : never
const paidUntilApril: Payment[] = [
  ['2026-02-05', 22_245, 'PAY_EMI'],
  ['2026-03-05', 22_245, 'PAY_EMI'],
  ['2026-04-05', 22_245, 'PAY_EMI'],
]
const loanWith = (payments: readonly Payment[], more: Partial<LoanFacts> = {}, interest: LoanTerms['interest'] = 'monthly') =>
  factsOf(termsBy(interest), [['2026-01-05', 1_000_000]], [...paidUntilApril, ...payments], more)
function offerOf(facts: LoanFacts, today: Day, effectiveOn: Day): ResetOffer {
  const offer = computeResetOffer(facts, today, { effectiveOn, toRatePpb: 125_000_000, instalmentsMax: 90 })
  if (typeof offer === 'string') throw new Error(offer)
  return offer
}
const lastRowOf = (facts: LoanFacts, day: string) => loanStateDuring(facts, toDay(day)).rows.at(-1)

describe('an EMI paid ahead of a part payment', () => {
  const payments: Payment[] = [
    ['2026-04-25', 22_245, 'PAY_EMI'],
    ['2026-04-28', 190_000, 'PART_PAYMENT__REDUCE_TENOR'],
    ['2026-06-05', 22_245, 'PAY_EMI'],
  ]

  it('does not add an instalment where a later rate keeps the tenor', () => {
    const facts = loanWith(payments)
    const last = lastRowOf(facts, '2026-06-10')
    expect([last?.number, last?.dueDate]).toEqual([46, '2029-11-05'])
    const kept = offerOf(facts, toDay('2026-06-10'), toDay('2026-07-05')).options.find(({ choice }) => choice === 'keep_tenor')
    expect([kept?.instalmentsLeft, kept?.lastDueDate]).toEqual([41, '2029-11-05'])
    expect(kept !== undefined && kept.instalmentPaise > rupeesToPaise(22_245)).toBe(true)
  })

  it('does not add an instalment where a later part payment reduces the EMI', () => {
    const facts = loanWith([...payments, ['2026-06-10', 100_000, 'PART_PAYMENT__REDUCE_EMI']])
    expect(lastRowOf(facts, '2026-06-10')?.dueDate).toBe('2029-11-05')
  })
})

describe('an EMI paid ahead of a higher rate', () => {
  it('leaves no last instalment above the EMI that was kept', () => {
    for (const interest of ['monthly', 'actual_365'] as const)
      for (let rate = 12.1; rate < 15; rate += 0.01) {
        const change = { date: toDay('2026-04-10'), annualRatePpb: Math.round(rate * 10_000_000), keep: 'instalment' as const }
        const facts = loanWith([['2026-04-08', 22_245, 'PAY_EMI']], { rateChanges: [change] }, interest)
        const last = lastRowOf(facts, '2026-04-10')
        expect([rate, last && last.interestPaise + last.principalPaise <= rupeesToPaise(22_245)]).toEqual([rate, true])
      }
  })
})

it('a rate that keeps the tenor keeps the last due date, however far ahead an EMI was paid', () => {
  fc.assert(
    fc.property(
      fc.constantFrom<LoanTerms['interest']>('monthly', 'actual_365'),
      fc.integer({ min: 0, max: 29 }),
      fc.integer({ min: 0, max: 9 }),
      fc.integer({ min: 100_000, max: 700_000 }),
      (interest, daysAhead, daysLater, amount) => {
        const aheadOn = addDays(toDay('2026-05-05'), -daysAhead)
        const partOn = addDays(aheadOn, daysLater)
        const payments: Payment[] = [
          [aheadOn, 22_245, 'PAY_EMI'],
          [partOn, amount, 'PART_PAYMENT__REDUCE_TENOR'],
        ]
        const { unchanged, options } = offerOf(loanWith(payments, {}, interest), partOn, toDay('2026-07-05'))
        expect(options.find(({ choice }) => choice === 'keep_tenor')?.lastDueDate).toBe(unchanged.lastDueDate)
      },
    ),
    { seed: 20_261_127, numRuns: 100 },
  )
})

it('a rate that keeps the tenor keeps the last due date, also where the next EMI is partly paid', () => {
  const partOn = toDay('2026-04-25')
  const payments: Payment[] = [
    ['2026-04-25', 22_245, 'PAY_EMI'],
    ['2026-04-25', 20_000, 'PAY_EMI'],
    ['2026-04-25', 266_782, 'PART_PAYMENT__REDUCE_TENOR'],
  ]
  const { unchanged, options } = offerOf(loanWith(payments, {}, 'actual_365'), partOn, toDay('2026-07-05'))
  expect(unchanged.lastDueDate).toBe('2029-06-05')
  expect(options.find(({ choice }) => choice === 'keep_tenor')?.lastDueDate).toBe('2029-06-05')
})
