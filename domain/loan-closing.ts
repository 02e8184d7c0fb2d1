import type { Day } from './calendar.ts'
import { isTakenBack, sumPaidByCharge, type AllocationLine, type LoanFacts, type LoanState } from './loans.ts'

/** Money kept as credit or refunded settles nothing, and neither does what is given back. */
const settles = ({ component, amountPaise }: AllocationLine): boolean => component !== 'excess' && component !== 'held' && amountPaise > 0n

/**
 * The day on which a closed loan was settled: the last day on which money, credit or a waiver
 * settled something of it. Null if the loan is not closed. Later refunds of excess money do not
 * count, and neither does a waiver of a charge that was wholly paid, is void or was taken back.
 */
export function findClosingDay(facts: LoanFacts, { status, allocations, adjustments, voidCharges }: LoanState): Day | null {
  if (status !== 'CLOSED') return null
  const settling = new Set(allocations.filter(({ lines }) => lines.some(settles)).map(({ paymentId }) => paymentId))
  const paid = sumPaidByCharge({ allocations, adjustments })
  const days = [
    ...facts.payments.filter(({ paymentId }) => settling.has(paymentId)).map(({ date }) => date),
    ...adjustments.filter(({ lines }) => lines.some(settles)).map(({ date }) => date),
    ...facts.charges.flatMap((charge) => {
      const { chargeId, amountPaise, waivedOn } = charge
      const isOwed = !isTakenBack(charge) && !voidCharges.includes(chargeId)
      return waivedOn !== null && isOwed && (paid.get(chargeId) ?? 0n) < amountPaise ? [waivedOn] : []
    }),
  ]
  return days.reduce<Day | null>((last, day) => (last === null || day > last ? day : last), null)
}
