import { useLingui } from '@lingui/react/macro'
import { ApiError } from '#web/api/api-error.ts'
import { failureText } from '#web/app/loading/failure-text.ts'
import { Banner } from '#web/ui/banner.tsx'

/** Why a request was not taken; it stays above the button, and what was typed stays with it. */
export function TrancheFailure({ error }: { error: unknown }) {
  const { t, i18n } = useLingui()
  const code = error instanceof ApiError ? error.code : null
  const field = error instanceof ApiError ? error.problem?.field : undefined
  let text = i18n._(failureText(error))
  if (code === 'TranchePending') text = t`Your lender has yet to decide about your last request.`
  else if (code === 'TrancheAboveMaximum') text = t`This is more than is left of the loan.`
  else if (code === 'TrancheNotEditable') text = t`This tranche has been paid out or rejected and cannot be changed any more.`
  else if (code === 'LoanNotActive' || code === 'TrancheNotAllowed') text = t`No disbursal can be requested for this loan now.`
  else if (code === 'InvalidRequest' && field === 'date') text = t`This date is no longer possible. Choose another one.`
  return (
    <Banner tone="danger" live="alert">
      {text}
    </Banner>
  )
}
