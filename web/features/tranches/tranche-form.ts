import * as z from 'zod/mini'
import { day } from '#contract/day.ts'
import type { Loan } from '#contract/loans.ts'
import type { Tranche } from '#contract/tranches.ts'
import type { Day } from '#domain/calendar.ts'
import { paise, type Paise } from '#domain/money.ts'
import { readTyped } from '#web/session/typed-entry.ts'
import type { Tranches } from './tranche-queries.ts'

const typedTranche = z.object({ text: z.string(), day: z.nullable(day) })

/** Where the entry of the dialog is kept: of a new request, or of the one to change. */
export const getTranchePlace = (lan: string, edited: Tranche | null): string => `disbursal ${lan} ${edited?.partner_tranche_id ?? ''}`

/** What was typed in the dialog, and not closed or sent. */
export const readTypedTranche = (lan: string, edited: Tranche | null) => readTyped(getTranchePlace(lan, edited), typedTranche)

/**
 * The check of the amount (spec §5 'Tranche amount'): whole rupees, above zero, at most the
 * maximum.
 */
export type TrancheAmountCheck = { isValid: true; amount: Paise } | { isValid: false; problem: 'not_an_amount' | 'above_maximum' }

export function checkTrancheAmount(text: string, maximum: Paise | null): TrancheAmountCheck {
  if (!/^[1-9]\d{0,10}$/.test(text)) return { isValid: false, problem: 'not_an_amount' }
  const amount = paise(BigInt(text) * 100n)
  return maximum !== null && amount > maximum ? { isValid: false, problem: 'above_maximum' } : { isValid: true, amount }
}

/** Whether the server offers the day; the day of an earlier request may have passed. */
export const isOfferedDay = (day: Day | null, offer: { earliest_date: Day; latest_date: Day }): day is Day =>
  day !== null && day >= offer.earliest_date && day <= offer.latest_date

/** The approved tranches besides the edited one: the preview of its effect leaves them out. */
export const listOtherApproved = (tranches: readonly Tranche[], edited: Tranche | null): Tranche[] =>
  tranches.filter((tranche) => tranche.stage === 'approved' && tranche.partner_tranche_id !== edited?.partner_tranche_id)

/** Whether the lender has something new to decide on. What is saved as it was stays decided. */
export const asksForDecision = (saved: Tranche, edited: Tranche | null): boolean =>
  saved.stage === 'requested' &&
  (edited?.stage !== 'requested' ||
    saved.tranche_amount !== edited.tranche_amount ||
    saved.date_of_disbursement !== edited.date_of_disbursement)

/** Whether the bank may have paid out an approved tranche: it can no longer be changed. */
export const isPayoutDue = ({ stage, date_of_disbursement: day }: Tranche, { earliest_date: tomorrow }: Pick<Tranches, 'earliest_date'>) =>
  stage === 'approved' && day < tomorrow

/** Why no disbursal can be requested now. */
export type RequestObstacle =
  | 'loan_overdue'
  | 'loan_closed'
  | 'loan_unknown'
  | 'not_allowed'
  | 'one_undecided'
  | 'nothing_left'
  | 'no_day_left'

/**
 * Spec §4 'Tranche and upload': an ACTIVE loan with requests allowed and none undecided. Null if a
 * request is possible.
 */
export function findRequestObstacle(loan: Pick<Loan, 'loan_status' | 'allow_tranche_request'>, tranches: Tranches): RequestObstacle | null {
  if (loan.loan_status === 'CLOSED') return 'loan_closed'
  if (loan.loan_status !== 'ACTIVE' && loan.loan_status !== 'OVERDUE') return 'loan_unknown'
  if (!loan.allow_tranche_request) return 'not_allowed'
  if (tranches.tranches.some(({ stage }) => stage === 'requested')) return 'one_undecided'
  if (tranches.max_tranche_amount < 100n) return 'nothing_left'
  if (tranches.latest_date < tranches.earliest_date) return 'no_day_left'
  // Last: its text promises a request once nothing is overdue.
  if (loan.loan_status === 'OVERDUE') return 'loan_overdue'
  return tranches.allow_create_tranche ? null : 'not_allowed'
}
