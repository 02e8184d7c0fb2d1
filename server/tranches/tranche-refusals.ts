import type { ErrorCode } from '#contract/errors.ts'
import { paiseToRupeesText, type Paise } from '#domain/money.ts'
import type { TrancheRefusal } from '#domain/tranches.ts'
import { Failure } from '../http/failure.ts'

const told: Readonly<Record<Exclude<TrancheRefusal, 'above_maximum'>, { code: ErrorCode; detail: string; field?: string }>> = {
  loan_not_active: { code: 'LoanNotActive', detail: 'The loan is not active: no tranche can be asked for or changed.' },
  not_allowed: { code: 'TrancheNotAllowed', detail: 'No tranche can be asked for of this loan.' },
  one_undecided: { code: 'TranchePending', detail: 'Another tranche of this loan is waiting for a decision.' },
  not_editable: { code: 'TrancheNotEditable', detail: 'This tranche was paid out or rejected and can no longer be changed.' },
  date_out_of_window: { code: 'InvalidRequest', detail: 'date must be from tomorrow to 30 days from today, in India.', field: 'date' },
}

/** A refusal of the domain as the caller is told it. `maximumPaise`: the most the amount may be. */
export function trancheFailure(refusal: TrancheRefusal, maximumPaise: Paise): Failure {
  if (refusal === 'above_maximum')
    return new Failure('TrancheAboveMaximum', `The amount may be ₹${paiseToRupeesText(maximumPaise)} at most.`, { field: 'amount' })
  const { code, detail, field } = told[refusal]
  return new Failure(code, detail, field === undefined ? {} : { field })
}
