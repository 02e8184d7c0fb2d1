import type { Loan } from '#contract/loans.ts'
import type { Tranches } from './tranche-queries.ts'

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
