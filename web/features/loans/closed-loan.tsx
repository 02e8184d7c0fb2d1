import { useLingui } from '@lingui/react/macro'
import type { Loan } from '#contract/loans.ts'
import { financialYear } from '#domain/calendar.ts'
import type { GeneratedDocumentType } from '#domain/documents.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { buildFilename } from '#web/loan/document-filename.ts'
import { documentTypeText } from '#web/loan/document-names.ts'
import { GenerateFailure, getGenerateState, useGenerate } from '#web/loan/generate-document.tsx'
import { getLeadId } from '#web/loan/loan-queries.ts'
import { usePermission } from '#web/session/permissions.ts'
import { ActionButton } from '#web/ui/action-button.tsx'
import type { ButtonVariant } from '#web/ui/button-class.ts'
import { formatDay } from '#web/ui/format.ts'
import { PaidStamp } from '#web/ui/stamp.tsx'

/** The end of a loan: its stamp, the closure certificate, and the interest certificate. */
export function ClosedLoan({ loan }: { loan: Loan }) {
  const { t } = useLingui()
  const language = useLanguage()
  const day = loan.closed_on && formatDay(loan.closed_on, language)
  const year = loan.closed_on && financialYear(loan.closed_on)
  return (
    <div className="mx-auto max-w-[23rem]">
      <PaidStamp word={t`CLOSED`} day={day ?? ''} />
      <h2 className="text-center text-xl">{day === null ? t`Closed` : t`Closed on ${day}`}</h2>
      <p className="mb-4 text-center text-sm text-muted">{t`This loan is closed. Nothing is left to pay.`}</p>
      <div className="space-y-3">
        <DocumentButton loan={loan} type="loan_closure_certificate" label={t`Closure certificate`} variant="primary" />
        {year !== null && (
          <DocumentButton loan={loan} type="interest_certificate" year={year} label={t`Interest certificate ${year}`} variant="secondary" />
        )}
      </div>
    </div>
  )
}

type DocumentButtonProps = {
  loan: Loan
  type: GeneratedDocumentType
  /** The financial year of an interest certificate. */
  year?: string
  label: string
  variant: ButtonVariant
}

/** Generates and saves a document by one press; says why when that fails. */
function DocumentButton({ loan, type, year, label, variant }: DocumentButtonProps) {
  const { t, i18n } = useLingui()
  const language = useLanguage()
  const permission = usePermission('document:read')
  const generate = useGenerate()
  const state = getGenerateState(generate)
  const press = (): void =>
    generate.mutate({
      query: { lead_id: getLeadId(loan), doc_type: type, language, ...(year !== undefined && { financial_year: year }) },
      filename: buildFilename(i18n._(documentTypeText[type]), loan.as_of),
    })
  return (
    <div>
      <ActionButton block variant={variant} icon="download" permission={permission} state={state} onClick={press}>
        {state === 'error' ? t`Try Again` : label}
      </ActionButton>
      {generate.isError && <GenerateFailure error={generate.error} />}
    </div>
  )
}
