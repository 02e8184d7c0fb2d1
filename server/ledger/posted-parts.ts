import type { Day } from '#domain/calendar.ts'
import type { LoanFacts, LoanState } from '#domain/loans.ts'
import { partNames, partsOf, type PaymentPart } from '#domain/payment-parts.ts'
import { allocationOf, type Line } from './lines.ts'

/** Where lines of a payment in the ledger went, by its parts, instalments and charges named as the loan has them now. */
export function postedParts(
  { facts, state }: { facts: LoanFacts; state: LoanState },
  payment: { purpose: string | null; valueDate: Day },
  lines: readonly Line[],
): PaymentPart[] {
  return partsOf(allocationOf(lines), partNames(facts, state, payment.purpose === 'FORECLOSURE' ? payment.valueDate : null))
}
