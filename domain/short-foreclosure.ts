import type { DayNumber } from './calendar.ts'
import { chargePrepayment, payoffOn } from './foreclosure.ts'
import type { LoanReplay, Lines } from './loan-replay.ts'
import { payAhead, payDue, reducePrincipal } from './settlement.ts'

/**
 * Where a foreclosure payment goes that is too small to close the loan (decision 54): to what is due, then to principal on its value
 * date, the instalment kept. Where it repays all principal, it is a prepayment of the whole loan: the prepayment charge is owed, and
 * what is left of the money pays the interest of the open row, then charges. So what is still to pay that day is the shortfall.
 * Answers what is left: interest that is deferred until EMIs begin cannot be paid before.
 */
export function settleShortForeclosure(loan: LoanReplay, day: DayNumber, money: number, lines: Lines): number {
  const payoff = payoffOn(loan, day)
  const left = payDue(loan, day, day + 1, money, lines)
  const rest = reducePrincipal(loan, day, left, 'instalment', lines)
  if (left < payoff.unbilledPrincipal) return rest
  chargePrepayment(loan, day, payoff)
  return payDue(loan, day, day + 1, payAhead(loan, day, rest, lines), lines)
}
