import type { Day } from './calendar.ts'
import { assertQuote } from './invariants.ts'
import { loanStateToPost } from './loan-state.ts'
import type { AllocationLine, Charge, LoanFacts, LoanState } from './loans.ts'
import { paise, type Paise } from './money.ts'
import type { PaymentPurpose } from './payments.ts'

/** `refund`: it never counted and goes back to who paid it. */
export const paymentComponents = ['principal', 'interest', 'charges', 'tax', 'credit', 'refund'] as const

/** What a part of a payment goes to. Principal without an instalment is principal before its time: a part payment, a foreclosure. */
export type PaymentPart = {
  component: (typeof paymentComponents)[number]
  instalmentNumber: number | null
  dueDate: Day | null
  chargeType: string | null
  amountPaise: Paise
}

/** What an allocation is told by: the rows that have numbers, and every charge. */
type PartNames = { dueDates: ReadonlyMap<number, Day>; chargeTypes: ReadonlyMap<string, string> }

/** A charge that is nothing but the tax on another: what it brings is not the lender's. */
export const isTax = ({ chargeType }: Pick<Charge, 'chargeType'>): boolean => chargeType.endsWith('_TAX')

/**
 * The names of a loan's instalments and charges. The row in which a foreclosure bills what was not due yet is no instalment of the
 * borrower's: it has no name.
 */
export function partNames(facts: LoanFacts, state: LoanState, foreclosedOn: Day | null): PartNames {
  const named = state.rows.filter(({ number, dueDate }) => foreclosedOn === null || number < state.rows.length || dueDate <= foreclosedOn)
  return {
    dueDates: new Map(named.map(({ number, dueDate }) => [number, dueDate])),
    chargeTypes: new Map([...state.derivedCharges, ...facts.charges].map(({ chargeId, chargeType }) => [chargeId, chargeType])),
  }
}

/** An allocation by its parts, in its order; lines of one instalment or charge together. */
export function partsOf(lines: readonly AllocationLine[], { dueDates, chargeTypes }: PartNames): PaymentPart[] {
  const parts = new Map<string, PaymentPart>()
  for (const { component, instalmentNumber, chargeId, amountPaise } of lines) {
    const dueDate = instalmentNumber === null ? undefined : dueDates.get(instalmentNumber)
    const chargeType = chargeId === null ? null : (chargeTypes.get(chargeId) ?? null)
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
 * What an amount that may be paid on a day is made of: where it goes if it is paid that day, computed by posting it. The parts add up
 * to the amount. Whether it may be paid is for `refusePayment` to say.
 *
 * @param madeOn the day on which the quote is made; the evening before `day` from 23:30.
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
