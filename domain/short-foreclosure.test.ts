import { describe, expect, it } from 'vitest'
import { toDay } from './calendar.ts'
import { chargeOf, factsOf, termsOf } from './facts.testing.ts'
import { foreclosureWaiveOn, amountToCloseOn } from './foreclosure-waive.ts'
import { loanStateDuring } from './loan-state.ts'
import type { LoanFacts, LoanTerms } from './loans.ts'
import { paise, rupeesToPaise, zeroPaise, type Paise } from './money.ts'

const terms = (more: Partial<LoanTerms> = {}): LoanTerms => ({
  ...termsOf({ annualRatePercent: 12, instalments: 24, firstDueDate: '2026-02-05' }),
  ...more,
})
const day = toDay('2026-03-20')
const withCharge: Partial<LoanTerms> = { prepaymentCharge: { ratePpb: 20_000_000, taxRatePpb: 180_000_000 } }
const charge = chargeOf('charge:1', '2026-03-20', 590)

/**
 * ₹4,00,000 at 12 %, one instalment paid, the second too; the payoff of 20 March is quoted, then a
 * charge is added.
 */
function shortLoan(more: Partial<LoanTerms> = {}): { facts: LoanFacts; quoted: Paise } {
  const paid = [
    ['2026-02-05', 18_830, 'PAY_EMI'],
    ['2026-03-05', 18_830, 'PAY_EMI'],
  ] as const
  const before = factsOf(terms(more), [['2026-01-05', 400_000]], paid)
  const quoted = loanStateDuring(before, day).allowed.foreclosure?.amountPaise ?? zeroPaise
  const facts = factsOf(terms(more), [['2026-01-05', 400_000]], [...paid, ['2026-03-20', quoted, 'FORECLOSURE']], { charges: [charge] })
  return { facts, quoted }
}
const written = (facts: LoanFacts, amountPaise: Paise, date = '2026-03-20'): LoanFacts => ({
  ...facts,
  foreclosureWaivers: [{ waiverId: 'w1', date: toDay(date), amountPaise }],
})

describe('a foreclosure that falls short by more than a day of interest (decision 54)', () => {
  it('settles what is due and reduces principal; nothing of it is idle credit', () => {
    const { facts, quoted } = shortLoan()
    const state = loanStateDuring(facts, day)
    expect(state).toMatchObject({
      status: 'ACTIVE',
      creditPaise: 0n,
      shortForeclosures: [{ paymentId: 'p3', date: day, shortPaise: 59_000n }],
    })
    const principal = loanStateDuring({ ...facts, payments: facts.payments.slice(0, 2) }, day).principalOutstandingPaise
    const lines = state.allocations.at(-1)?.lines ?? []
    expect(lines.map(({ component, instalmentNumber, amountPaise }) => [component, instalmentNumber, amountPaise])).toEqual([
      ['charge', null, 59_000n],
      ['principal', null, principal],
      ['interest', 3, quoted - principal - 59_000n],
    ])
  })

  it('leaves exactly the shortfall to pay, and closes when that is paid', () => {
    const { facts } = shortLoan()
    const state = loanStateDuring(facts, day)
    expect(state.principalOutstandingPaise).toBe(0n)
    expect(state.allowed).toMatchObject({ nextEmi: { amountPaise: 59_000n }, foreclosure: null })
    expect(amountToCloseOn(facts, day)).toBe(59_000n)
    const rest = { paymentId: 'rest', date: toDay('2026-04-05'), amountPaise: paise(59_000n), purpose: 'PAY_EMI' as const }
    const closed = loanStateDuring({ ...facts, payments: [...facts.payments, rest] }, toDay('2026-04-05'))
    expect(closed).toMatchObject({ status: 'CLOSED', creditPaise: 0n, principalOutstandingPaise: 0n })
  })

  it('keeps the instalment where a part of the principal is left, and offers to foreclose for the rest', () => {
    const { facts, quoted } = shortLoan()
    const half = facts.payments.with(2, { ...facts.payments[2]!, amountPaise: paise(quoted / 2n) })
    const before = loanStateDuring({ ...facts, payments: facts.payments.slice(0, 2) }, day)
    const state = loanStateDuring({ ...facts, payments: half }, day)
    expect(state.creditPaise).toBe(0n)
    expect(state.nextInstalmentPaise).toBe(before.nextInstalmentPaise)
    expect(state.principalOutstandingPaise).toBe(before.principalOutstandingPaise - quoted / 2n + 59_000n)
    expect(state.allowed.foreclosure?.amountPaise).toBe(quoted + 59_000n - quoted / 2n)
  })

  it('bears no interest any more on what was repaid', () => {
    const { facts, quoted } = shortLoan()
    const billed = loanStateDuring(facts, toDay('2026-06-20')).rows.filter(({ dueDate }) => dueDate > day)
    const principal = loanStateDuring({ ...facts, payments: facts.payments.slice(0, 2) }, day).principalOutstandingPaise
    expect(billed.reduce((sum, row) => sum + row.interestPaise, 0n)).toBe(quoted - principal)
  })

  it('leaves no credit where less than a day is short, and closes', () => {
    const { facts, quoted } = shortLoan()
    const nearly = facts.payments.with(2, { ...facts.payments[2]!, amountPaise: paise(quoted - 100n) })
    const state = loanStateDuring({ ...facts, charges: [], payments: nearly }, day)
    expect(state).toMatchObject({ status: 'CLOSED', shortForeclosures: [] })
  })

  it('owes the prepayment charge where all principal was repaid: what is still to pay is the shortfall', () => {
    const { facts } = shortLoan(withCharge)
    const state = loanStateDuring(facts, day)
    expect(state).toMatchObject({ status: 'ACTIVE', principalOutstandingPaise: 0n, creditPaise: 0n, duesPaise: 59_000n })
    expect(state.derivedCharges.map(({ chargeType }) => chargeType)).toEqual(['PREPAYMENT_CHARGE', 'PREPAYMENT_CHARGE_TAX'])
    expect(amountToCloseOn(facts, day)).toBe(59_000n)
    const rest = { paymentId: 'rest', date: day, amountPaise: paise(59_000n), purpose: 'OVERDUE' as const }
    expect(loanStateDuring({ ...facts, payments: [...facts.payments, rest] }, day)).toMatchObject({ status: 'CLOSED', creditPaise: 0n })
  })

  it('raises no prepayment charge where principal is left; the rest bears it when it is foreclosed', () => {
    const { facts, quoted } = shortLoan(withCharge)
    const half = facts.payments.with(2, { ...facts.payments[2]!, amountPaise: paise(quoted / 2n) })
    const state = loanStateDuring({ ...facts, payments: half }, day)
    expect(state.derivedCharges).toEqual([])
    expect(state.allowed.foreclosure?.parts.chargesPaise).toBe((state.principalOutstandingPaise * 2n + 50n) / 100n)
  })
})

describe('a short foreclosure, case by case (decision 54)', () => {
  /** 30,000 at 12 %, the first row of 5 February paid, foreclosed by too little. */
  const foreclosed = (on: string, rupees: number, more: Partial<LoanTerms> = {}, facts: Partial<LoanFacts> = {}): LoanFacts =>
    factsOf(
      { ...termsOf({ annualRatePercent: 12, instalments: 3, firstDueDate: '2026-02-05' }), ...more },
      [['2026-01-05', 30_000]],
      [
        ['2026-02-05', 10_201, 'PAY_EMI'],
        [on, rupees, 'FORECLOSURE'],
      ],
      facts,
    )
  const linesOf = (facts: LoanFacts, on: string) =>
    loanStateDuring(facts, toDay(on))
      .allocations.at(-1)
      ?.lines.map(({ component, instalmentNumber, amountPaise }) => [component, instalmentNumber, amountPaise])

  it('what falls due on its very day is settled before principal', () => {
    const facts = foreclosed('2026-03-05', 15_000)
    expect(linesOf(facts, '2026-03-05')).toEqual([
      ['interest', 2, 20_099n],
      ['principal', 2, 1_000_001n],
      ['principal', null, 479_900n],
    ])
  })

  it('principal repaid to the paisa owes the prepayment charge, a paisa less does not', () => {
    // Of the second row on, 20,099 are not billed yet.
    const whole = loanStateDuring(foreclosed('2026-02-20', 20_099, withCharge), toDay('2026-02-20'))
    expect(whole.derivedCharges.map(({ chargeType, amountPaise }) => [chargeType, amountPaise])).toEqual([
      ['PREPAYMENT_CHARGE', 40_198n],
      ['PREPAYMENT_CHARGE_TAX', 7_236n],
    ])
    const less = loanStateDuring(foreclosed('2026-02-20', 20_098.99, withCharge), toDay('2026-02-20'))
    expect([less.derivedCharges, less.principalOutstandingPaise]).toEqual([[], 1n])
  })

  it('what is left after principal pays the interest run, then the prepayment charge', () => {
    const state = loanStateDuring(foreclosed('2026-02-20', 20_300, withCharge), toDay('2026-02-20'))
    // 15 of 28 days at 200.99 a month.
    expect(linesOf(foreclosed('2026-02-20', 20_300, withCharge), '2026-02-20')).toEqual([
      ['principal', null, 2_009_900n],
      ['interest', 2, 10_767n],
      ['charge', null, 9_333n],
    ])
    expect(state.duesPaise).toBe(40_198n + 7_236n - 9_333n)
  })

  it('a fixed instalment stays fixed for a tranche that comes later', () => {
    const fixed = { fixedInstalmentPaise: rupeesToPaise(10_201) }
    const facts = foreclosed('2026-02-20', 20_099, fixed)
    const more: LoanFacts = {
      ...facts,
      sanctionedPaise: rupeesToPaise(60_000),
      disbursals: [...facts.disbursals, { date: toDay('2026-02-25'), amountPaise: rupeesToPaise(30_000) }],
    }
    expect(loanStateDuring(more, toDay('2026-02-25')).nextInstalmentPaise).toBe(rupeesToPaise(10_201))
  })
})

describe('foreclosure_waive (decision 54)', () => {
  it('writes off what is left to the paisa, by lines of its own, and closes the loan', () => {
    const { facts } = shortLoan()
    const { amountPaise, refusal } = foreclosureWaiveOn(facts, day)
    expect({ amountPaise, refusal }).toEqual({ amountPaise: 59_000n, refusal: null })
    const state = loanStateDuring(written(facts, amountPaise), day)
    expect(state).toMatchObject({ status: 'CLOSED', principalOutstandingPaise: 0n, duesPaise: 0n, creditPaise: 0n })
    const waived = state.adjustments.filter(({ reason }) => reason === 'foreclosure_waive')
    expect(waived).toHaveLength(1)
    expect(waived.flatMap(({ lines }) => lines).reduce((sum, line) => sum + line.amountPaise, 0n)).toBe(59_000n)
  })

  it('does not count a prepayment charge that nobody owes', () => {
    const { facts, quoted } = shortLoan({ ...withCharge, foreclosureWaiveMaximumPaise: rupeesToPaise(500_000) })
    const half = { ...facts, payments: facts.payments.with(2, { ...facts.payments[2]!, amountPaise: paise(quoted / 2n) }) }
    const offered = loanStateDuring(half, day).allowed.foreclosure
    const { amountPaise } = foreclosureWaiveOn(half, day)
    expect(amountPaise).toBe((offered?.amountPaise ?? 0n) - (offered?.parts.chargesPaise ?? 0n) - (offered?.parts.taxPaise ?? 0n))
    expect(loanStateDuring(written(half, amountPaise), day)).toMatchObject({ status: 'CLOSED', derivedCharges: [] })
  })

  it('gives up nothing where more than was decided is left', () => {
    const { facts } = shortLoan()
    expect(loanStateDuring(written(facts, paise(58_999n)), day)).toMatchObject({ status: 'ACTIVE', adjustments: [] })
  })

  it('gives up less where less is left, and never more', () => {
    const { facts } = shortLoan()
    const state = loanStateDuring(written(facts, paise(70_000n)), day)
    expect(state.status).toBe('CLOSED')
    const given = state.adjustments.flatMap(({ lines }) => lines).reduce((sum, line) => sum + line.amountPaise, 0n)
    expect(given).toBe(59_000n)
  })

  it('is refused without a foreclosure that fell short, when nothing is left, and above the product’s limit', () => {
    const { facts } = shortLoan()
    expect(foreclosureWaiveOn({ ...facts, payments: facts.payments.slice(0, 2) }, day).refusal).toBe('no_short_foreclosure')
    expect(foreclosureWaiveOn(written(facts, paise(59_000n)), day).refusal).toBe('nothing_left')
    const { facts: limited } = shortLoan({ foreclosureWaiveMaximumPaise: paise(58_999n) })
    expect(foreclosureWaiveOn(limited, day).refusal).toBe('above_maximum')
  })
})
