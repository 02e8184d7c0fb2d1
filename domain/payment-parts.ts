import type { Day } from './calendar.ts'
import { isPrepaymentCharge, prepaymentChargeType, prepaymentTaxIdOf, prepaymentTaxType } from './foreclosure.ts'
import { assertQuote } from './invariants.ts'
import { loanStateToPost } from './loan-state.ts'
import { isTax, lateChargeDueDate, lateChargeType, type AllocationLine, type LoanFacts, type LoanState } from './loans.ts'
import { paise, sumPaise, type Paise } from './money.ts'
import type { PaymentPurpose } from './payments.ts'

/** `refund`: the money never counted and is refunded to the payer. */
export const paymentComponents = ['principal', 'interest', 'charges', 'tax', 'credit', 'refund'] as const

/**
 * What part of a payment pays. Principal without an instalment is prepaid: a part payment or a
 * foreclosure.
 */
export type PaymentPart = {
  component: (typeof paymentComponents)[number]
  instalmentNumber: number | null
  dueDate: Day | null
  chargeType: string | null
  amountPaise: Paise
}

/** The due dates of numbered rows and the types of all charges. */
type PartNames = { dueDates: ReadonlyMap<number, Day>; chargeTypes: ReadonlyMap<string, string> }

/**
 * The names of a loan's instalments and charges. The closing row of a foreclosure has no name,
 * because it is not an instalment of the borrower.
 */
export function partNames(facts: LoanFacts, state: LoanState, foreclosedOn: Day | null): PartNames {
  const named = state.rows.filter(({ number, dueDate }) => foreclosedOn === null || number < state.rows.length || dueDate <= foreclosedOn)
  return {
    dueDates: new Map(named.map(({ number, dueDate }) => [number, dueDate])),
    chargeTypes: chargeTypesOf(facts, state),
  }
}

/** The types of a loan's charges by their ids, also of those that are derived from its state. */
export const chargeTypesOf = ({ charges }: Pick<LoanFacts, 'charges'>, { derivedCharges }: LoanState): ReadonlyMap<string, string> =>
  new Map([...derivedCharges, ...charges].map(({ chargeId, chargeType }) => [chargeId, chargeType]))

/**
 * The type of a charge. A charge that was derived and has lost its cause, as by a cheque that
 * bounced, stays in what was posted, and is known by its id.
 */
export function chargeTypeOf(chargeTypes: ReadonlyMap<string, string>, chargeId: string): string | null {
  const known = chargeTypes.get(chargeId)
  if (known !== undefined) return known
  if (lateChargeDueDate(chargeId) !== null) return lateChargeType
  if (!isPrepaymentCharge(chargeId)) return null
  return prepaymentTaxIdOf(chargeId) === null ? prepaymentTaxType : prepaymentChargeType
}

/** How far a payment fell short of the quote for closing the loan; its waived late charge. */
export function quoteOutcome(state: LoanState, payment: string): { shortPaise: Paise | null; waivedPaise: Paise } {
  const short = state.shortForeclosures.find(({ paymentId }) => paymentId === payment)
  const waived = state.adjustments.filter(({ reason, paymentId }) => reason === 'late_charge_within_quote' && paymentId === payment)
  return {
    shortPaise: short?.shortPaise ?? null,
    waivedPaise: sumPaise(waived.flatMap(({ lines }) => lines.map(({ amountPaise }) => amountPaise))),
  }
}

/** An allocation by its parts, in its order. Lines of one instalment or charge are merged. */
export function partsOf(lines: readonly AllocationLine[], { dueDates, chargeTypes }: PartNames): PaymentPart[] {
  const parts = new Map<string, PaymentPart>()
  for (const { component, instalmentNumber, chargeId, amountPaise } of lines) {
    const dueDate = instalmentNumber === null ? undefined : dueDates.get(instalmentNumber)
    const chargeType = chargeId === null ? null : chargeTypeOf(chargeTypes, chargeId)
    const key = JSON.stringify([component, dueDate, chargeId])
    const known = parts.get(key)?.amountPaise ?? 0n
    parts.set(key, {
      component: componentOf(component, chargeType),
      instalmentNumber: dueDate === undefined ? null : instalmentNumber,
      dueDate: dueDate ?? null,
      chargeType,
      amountPaise: paise(known + amountPaise),
    })
  }
  return [...parts.values()].filter(({ amountPaise }) => amountPaise !== 0n)
}

function componentOf(component: AllocationLine['component'], chargeType: string | null): PaymentPart['component'] {
  if (component === 'excess') return 'credit'
  if (component === 'held') return 'refund'
  if (component !== 'charge') return component
  return chargeType !== null && isTax({ chargeType }) ? 'tax' : 'charges'
}

/**
 * The parts of an amount that can be paid on a day, computed by posting it. They sum to the amount.
 * `refusePayment` decides whether the amount is allowed.
 *
 * @param madeOn the day on which the quote is made: from 23:30 the evening before `day`.
 */
export function quoteParts(facts: LoanFacts, day: Day, madeOn: Day, purpose: PaymentPurpose, amountPaise: Paise): PaymentPart[] {
  const quoted = { paymentId: 'quote', date: day, amountPaise, purpose, ...(madeOn < day && { quotedAheadFor: day }) }
  const paid = { ...facts, payments: [...facts.payments, quoted] }
  const state = loanStateToPost(paid, day)
  const lines = state.allocations.find(({ paymentId }) => paymentId === 'quote')?.lines ?? []
  const parts = partsOf(lines, partNames(paid, state, purpose === 'FORECLOSURE' ? day : null))
  assertQuote(parts, amountPaise)
  return parts
}
