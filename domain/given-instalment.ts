import { dayNumber } from './calendar.ts'
import { factsFault } from './loan-facts.ts'
import { dailyRatio, interestFor, monthlyRatio } from './interest.ts'
import type { LoanFacts, RateChange } from './loans.ts'
import { maximumInstalments } from './loans.ts'
import { paiseFromWhole, paiseToRupees } from './money.ts'
import { projectSchedule, replayLoan } from './replay.ts'

const daysOfLongestMonth = 31

/**
 * Why the instalment that a rate change gives is refused, for an operator: it must exceed a month's
 * interest of the principal from which it counts, and repay it within the longest schedule. Null if
 * it does, if the change gives none, and if the loan's state is unknown on that day. The loan is
 * taken as known on the day of the change, without the payments of that day, and as if every row
 * had been paid on its due date.
 */
export function givenInstalmentFault(facts: LoanFacts, change: RateChange): string | null {
  if (change.keep !== 'both') return null
  const { terms, disbursals, rateChanges, payments } = facts
  if (disbursals.every(({ date }) => date > change.date)) return 'is given before the first disbursal'
  const earlier = rateChanges.filter(({ date }) => date < change.date)
  const known = { ...facts, payments: payments.filter(({ date }) => date < change.date), rateChanges: [...earlier, change] }
  if (factsFault(known, change.date) !== null) return null
  const day = dayNumber(change.date)
  const loan = replayLoan(known, day, { isAsAgreed: true, isTraced: true })
  projectSchedule(loan, day)
  const plan = loan.trace?.plans.at(-1)
  // Still waiting: no row begins on the day of the change or later.
  if (loan.givenInstalment > 0 || plan === undefined || plan.isGiven) return null
  const [share, times] =
    terms.interest === 'monthly' ? [monthlyRatio(plan.annualRatePpb), 1] : [dailyRatio(plan.annualRatePpb), daysOfLongestMonth]
  const interest = interestFor(plan.principal, share, times)
  return Number(change.instalmentPaise) > interest
    ? `would take more than ${maximumInstalments} instalments`
    : `must be more than a month's interest, ${paiseToRupees(paiseFromWhole(interest))}`
}
