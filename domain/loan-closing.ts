import type { Day } from './calendar.ts'
import { sumPaidByCharge, type AllocationLine, type LoanFacts, type LoanState } from './loans.ts'

/** Money that is kept as credit or refunded settles nothing. */
const settles = ({ component }: AllocationLine): boolean => component !== 'excess' && component !== 'held'

/**
 * The day on which a closed loan was settled: the last day on which money, credit or a waiver
 * settled something of it. Null if the loan is not closed. Later refunds of excess money do not
 * count, and neither does a waiver of a charge that was wholly paid or is void.
 */
export function findClosingDay(facts: LoanFacts, { status, allocations, adjustments, voidCharges }: LoanState): Day | null {
  if (status !== 'CLOSED') return null
  const settling = new Set(allocations.filter(({ lines }) => lines.some(settles)).map(({ paymentId }) => paymentId))
  const paid = sumPaidByCharge({ allocations, adjustments })
  const days = [
    ...facts.payments.filter(({ paymentId }) => settling.has(paymentId)).map(({ date }) => date),
    ...adjustments.map(({ date }) => date),
    ...facts.charges.flatMap(({ chargeId, amountPaise, waivedOn }) =>
      waivedOn !== null && (paid.get(chargeId) ?? 0n) < amountPaise && !voidCharges.includes(chargeId) ? [waivedOn] : [],
    ),
  ]
  return days.reduce<Day | null>((last, day) => (last === null || day > last ? day : last), null)
}
