import type { ErrorCode } from '#contract/errors.ts'
import { paiseToRupeesText, type Paise } from '#domain/money.ts'
import type { TrancheRefusal } from '#domain/tranches.ts'
import { Failure } from '../http/failure.ts'

const failures: Readonly<Record<Exclude<TrancheRefusal, 'above_maximum'>, { code: ErrorCode; detail: string; field?: string }>> = {
  loan_not_active: { code: 'LoanNotActive', detail: 'The loan is not active: tranches cannot be requested or changed.' },
  not_allowed: { code: 'TrancheNotAllowed', detail: 'Tranches cannot be requested for this loan.' },
  one_undecided: { code: 'TranchePending', detail: 'Another tranche of this loan is waiting for a decision.' },
  no_day_left: { code: 'TrancheNotAllowed', detail: 'The first disbursal must come before the first due date, and no day is left for it.' },
  day_has_come: { code: 'TrancheNotEditable', detail: 'The day of this approved tranche has come: it can no longer be changed.' },
  not_editable: { code: 'TrancheNotEditable', detail: 'This tranche was paid out or rejected and can no longer be changed.' },
  date_out_of_window: {
    code: 'InvalidRequest',
    detail: 'date must be from tomorrow to 30 days from today, in India; of the first disbursal also before the first due date.',
    field: 'date',
  },
}

/**
 * Converts a domain refusal to a Failure.
 *
 * @param maximumPaise the largest allowed amount.
 */
export function trancheFailure(refusal: TrancheRefusal, maximumPaise: Paise): Failure {
  if (refusal === 'above_maximum')
    return new Failure('TrancheAboveMaximum', `The amount must be at most ₹${paiseToRupeesText(maximumPaise)}.`, { field: 'amount' })
  const { code, detail, field } = failures[refusal]
  return new Failure(code, detail, field === undefined ? {} : { field })
}
