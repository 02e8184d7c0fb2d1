import type { Day } from './calendar.ts'
import { dayNumber } from './calendar.ts'
import { payoffWithoutPrepaymentCharge, payoffOn } from './foreclosure.ts'
import { factsFault } from './loan-facts.ts'
import type { LoanFacts } from './loans.ts'
import type { Paise } from './money.ts'
import { paiseFromWhole, zeroPaise } from './money.ts'
import { replayLoan } from './replay.ts'

/** Why the rest of a loan may not be written off. */
export type ForeclosureWaiveRefusal = 'no_short_foreclosure' | 'nothing_left' | 'above_maximum'

/**
 * What `foreclosure_waive` would write off on a day to close the loan, and why it may not (decision
 * 54). `amountPaise` is everything left to pay with interest to that day, less the loan's credit
 * and without a prepayment charge.
 */
export function foreclosureWaiveOn(facts: LoanFacts, day: Day): { amountPaise: Paise; refusal: ForeclosureWaiveRefusal | null } {
  if (factsFault(facts, day) !== null) return { amountPaise: zeroPaise, refusal: 'no_short_foreclosure' }
  const today = dayNumber(day)
  const loan = replayLoan(facts, today)
  const left = loan.isClosed || !loan.hasStarted ? 0 : payoffWithoutPrepaymentCharge(loan, today).amount
  const amountPaise = left > 0 ? paiseFromWhole(left) : zeroPaise
  return { amountPaise, refusal: refusalOf(loan.shortForeclosures.length > 0, amountPaise, facts.terms.foreclosureWaiveMaximumPaise) }
}

function refusalOf(hasShortForeclosure: boolean, amountPaise: Paise, maximumPaise: Paise): ForeclosureWaiveRefusal | null {
  if (!hasShortForeclosure) return 'no_short_foreclosure'
  if (amountPaise === zeroPaise) return 'nothing_left'
  return amountPaise > maximumPaise ? 'above_maximum' : null
}

/**
 * What closes the loan on a day, in paise: everything left to pay with interest to that day and the
 * prepayment charge. 0 for a closed loan.
 */
export function amountToCloseOn(facts: LoanFacts, day: Day): Paise {
  if (factsFault(facts, day) !== null) return zeroPaise
  const today = dayNumber(day)
  const loan = replayLoan(facts, today)
  const { amount } = payoffOn(loan, today)
  return loan.hasStarted && amount > 0 ? paiseFromWhole(amount) : zeroPaise
}
