import { accrueTo, nextBoundary, passBoundary, recomputePlanBefore } from './billing.ts'
import type { DayNumber } from './calendar.ts'
import { dayNumber } from './calendar.ts'
import type { LoanReplay } from './loan-replay.ts'
import { never } from './loan-replay.ts'
import type { LoanFacts } from './loans.ts'
import { applyRateChange, projectSchedule, replayLoan } from './replay.ts'

/**
 * The loan with its facts up to a day, and after it as agreed: every row is paid on its due date,
 * nothing else happens, and the rate changes of later days take effect. Then all rows are known.
 *
 * @param facts with its rate changes by date.
 * @returns with the plans of the instalments after the day in its trace.
 */
export function projectKnownRates(facts: LoanFacts, today: DayNumber): LoanReplay {
  const loan = replayLoan(facts, today)
  if (loan.accruesDaily && loan.unpaidPrincipal > 0) accrueTo(loan, today)
  loan.isProjecting = true
  loan.trace = { pieces: [], plans: [] }
  for (const change of facts.rateChanges) {
    const day = dayNumber(change.date)
    if (day <= today || !loan.hasStarted) continue
    while (nextBoundary(loan) <= day) passBoundary(loan)
    if (nextBoundary(loan) === never) break
    recomputePlanBefore(loan, day)
    applyRateChange(loan, facts, change, day)
  }
  projectSchedule(loan, today)
  return loan
}
