import type { Day } from '#domain/calendar.ts'
import type { LoanFacts, LoanState } from '#domain/loans.ts'
import { paise, zeroPaise, type Paise } from '#domain/money.ts'
import { partNames, partsOf, type PaymentPart } from '#domain/payment-parts.ts'
import { toAllocation, type Line } from './lines.ts'

/** The parts of a posted payment, with the current names of instalments and charges. */
export function postedParts(
  { facts, state }: { facts: LoanFacts; state: LoanState },
  payment: { transactionId: string; valueDate: Day },
  lines: readonly Line[],
): PaymentPart[] {
  const received = facts.payments.find(({ paymentId }) => paymentId === payment.transactionId)
  const names = partNames(facts, state, received?.purpose === 'FORECLOSURE' ? payment.valueDate : null)
  return splitHeld(partsOf(toAllocation(lines), names), received?.heldPaise ?? zeroPaise)
}

/** Splits held money from credit: the ledger has both on `excess` until the refund is processed. */
function splitHeld(parts: readonly PaymentPart[], held: Paise): PaymentPart[] {
  let left = held
  return parts.flatMap((part) => {
    if (part.component !== 'credit' || left === 0n) return [part]
    const refunded = part.amountPaise < left ? part.amountPaise : left
    left = paise(left - refunded)
    const kept = paise(part.amountPaise - refunded)
    return [...(kept > 0n ? [{ ...part, amountPaise: kept }] : []), { ...part, component: 'refund' as const, amountPaise: refunded }]
  })
}
