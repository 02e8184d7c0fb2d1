import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import type { Loan } from '#contract/loans.ts'
import type { Day } from '#domain/calendar.ts'
import { GenerateFailure, getGenerateState } from '#web/loan/generate-document.tsx'
import { usePermission } from '#web/session/permissions.ts'
import { ActionButton } from '#web/ui/action-button.tsx'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { StatementPeriod, YearChoice, type Period } from './generate-choices.tsx'
import { suggestFinancialYear } from './generated-offers.ts'
import { type DocumentOfPeriod, type PeriodQuery, useDownload } from './use-download.ts'

type PeriodDialogProps = {
  loan: Loan
  type: DocumentOfPeriod
  title: string
  years: readonly string[]
  today: Day
  onClose: () => void
}

/** Asks for the period of a document, then downloads it. */
export function PeriodDialog({ loan, type, title, years, today, onClose }: PeriodDialogProps) {
  const { t } = useLingui()
  const [year, setYear] = useState(() => suggestFinancialYear(years))
  const [{ from, to }, setPeriod] = useState<Period>({ from: null, to: null })
  const permission = usePermission('document:read')
  const { generate, download } = useDownload(loan, type)
  const state = getGenerateState(generate)
  const query: PeriodQuery =
    type === 'interest_certificate'
      ? { ...(year !== null && { financial_year: year }) }
      : { ...(from !== null && { from }), ...(to !== null && { to }) }
  return (
    <Dialog
      open
      // A failure is shown in the dialog, which closes itself after the download.
      isBusy={generate.isPending}
      holdsInput
      onClose={onClose}
      title={title}
      actions={
        <>
          <Button variant="secondary" state={generate.isPending ? 'disabled' : 'normal'} onClick={onClose}>
            {t`Cancel`}
          </Button>
          <ActionButton
            icon="download"
            className="max-md:w-full"
            permission={permission}
            state={state}
            onClick={() => download(query, onClose)}
          >
            {state === 'error' ? t`Try Again` : t`Download`}
          </ActionButton>
        </>
      }
    >
      {type === 'statement_of_account' ? (
        <StatementPeriod value={{ from, to }} today={today} onChange={setPeriod} />
      ) : (
        <YearChoice years={years} value={year} onChange={setYear} />
      )}
      {generate.isError && <GenerateFailure error={generate.error} />}
    </Dialog>
  )
}
