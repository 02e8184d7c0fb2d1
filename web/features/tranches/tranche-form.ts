import type { Day } from '#domain/calendar.ts'
import { paise, type Paise } from '#domain/money.ts'
import type { Loan } from '#contract/loans.ts'
import type { Tranches } from './tranche-queries.ts'

/** What an amount field holds, judged (spec §5 'Tranche amount'): whole rupees, more than none, at most what is left. */
export type TrancheAmountCheck = { isValid: true; amount: Paise } | { isValid: false; problem: 'not_an_amount' | 'above_maximum' }

export function checkTrancheAmount(text: string, maximum: Paise | null): TrancheAmountCheck {
  if (!/^[1-9]\d{0,10}$/.test(text)) return { isValid: false, problem: 'not_an_amount' }
  const amount = paise(BigInt(text) * 100n)
  return maximum !== null && amount > maximum ? { isValid: false, problem: 'above_maximum' } : { isValid: true, amount }
}

/** A day may be chosen that the server has offered; one that an earlier request holds may have passed meanwhile. */
export const isOfferedDay = (day: Day | null, offer: { earliest_date: Day; latest_date: Day }): day is Day =>
  day !== null && day >= offer.earliest_date && day <= offer.latest_date

/** Why no disbursal can be asked for now. */
export type RequestObstacle = 'loan_overdue' | 'loan_closed' | 'loan_unknown' | 'not_allowed' | 'one_undecided' | 'nothing_left'

/** Spec §4 'Tranche and upload': an ACTIVE loan, whose lender takes requests, and none of them undecided. Null when nothing is in the way. */
export function requestObstacle(
  loan: Pick<Loan, 'loan_status' | 'allow_tranche_request'>,
  tranches: Pick<Tranches, 'allow_create_tranche' | 'max_tranche_amount' | 'tranches'>,
): RequestObstacle | null {
  if (loan.loan_status === 'OVERDUE') return 'loan_overdue'
  if (loan.loan_status === 'CLOSED') return 'loan_closed'
  if (loan.loan_status !== 'ACTIVE') return 'loan_unknown'
  if (!loan.allow_tranche_request) return 'not_allowed'
  if (tranches.tranches.some(({ stage }) => stage === 'requested')) return 'one_undecided'
  if (tranches.max_tranche_amount < 100n) return 'nothing_left'
  return tranches.allow_create_tranche ? null : 'not_allowed'
}
