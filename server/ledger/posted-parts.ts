import type { Day } from '#domain/calendar.ts'
import type { LoanFacts, LoanState } from '#domain/loans.ts'
import { paise, zeroPaise, type Paise } from '#domain/money.ts'
import { partNames, partsOf, type PaymentPart } from '#domain/payment-parts.ts'
import { allocationOf, type Line } from './lines.ts'

/** Where lines of a payment in the ledger went, by its parts, instalments and charges named as the loan has them now. */
export function postedParts(
  { facts, state }: { facts: LoanFacts; state: LoanState },
  payment: { transactionId: string; valueDate: Day },
  lines: readonly Line[],
): PaymentPart[] {
  const received = facts.payments.find(({ paymentId }) => paymentId === payment.transactionId)
  const names = partNames(facts, state, received?.purpose === 'FORECLOSURE' ? payment.valueDate : null)
  return withReturned(partsOf(allocationOf(lines), names), received?.heldPaise ?? zeroPaise)
}

/** In the ledger, what goes back stands among the borrower's money until it leaves. */
function withReturned(parts: readonly PaymentPart[], held: Paise): PaymentPart[] {
  let left = held
  return parts.flatMap((part) => {
    if (part.component !== 'credit' || left === 0n) return [part]
    const returned = part.amountPaise < left ? part.amountPaise : left
    left = paise(left - returned)
    const kept = paise(part.amountPaise - returned)
    return [...(kept > 0n ? [{ ...part, amountPaise: kept }] : []), { ...part, component: 'refund' as const, amountPaise: returned }]
  })
}
