import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import type { Day } from '#domain/calendar.ts'
import { GenerateFailure } from '#web/loan/generate-document.tsx'
import { ActionButton } from '#web/ui/action-button.tsx'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { StatementPeriod, YearChoice, type Period } from './generate-choices.tsx'
import { suggestFinancialYear } from './generated-offers.ts'

/** The period in the query of a generated document. */
export type PeriodQuery = { financial_year?: string; from?: Day; to?: Day }

type PeriodDialogProps = {
  type: 'statement_of_account' | 'interest_certificate'
  title: string
  years: readonly string[]
  today: Day
  isPending: boolean
  /** The error of the last try, if it failed. */
  error: unknown
  onClose: () => void
  onDownload: (query: PeriodQuery) => void
}

/** Asks for the period of a document, then downloads it. */
export function PeriodDialog({ type, title, years, today, isPending, error, onClose, onDownload }: PeriodDialogProps) {
  const { t } = useLingui()
  const [year, setYear] = useState(() => suggestFinancialYear(years))
  const [{ from, to }, setPeriod] = useState<Period>({ from: null, to: null })
  const hasFailed = error !== null
  const query: PeriodQuery =
    type === 'interest_certificate'
      ? { ...(year !== null && { financial_year: year }) }
      : { ...(from !== null && { from }), ...(to !== null && { to }) }
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      actions={
        <>
          <Button variant="secondary" onClick={onClose}>
            {t`Cancel`}
          </Button>
          <ActionButton
            icon="download"
            className="max-md:w-full"
            state={isPending ? 'loading' : hasFailed ? 'error' : 'normal'}
            onClick={() => onDownload(query)}
          >
            {hasFailed ? t`Try Again` : t`Download`}
          </ActionButton>
        </>
      }
    >
      {type === 'statement_of_account' ? (
        <StatementPeriod value={{ from, to }} today={today} onChange={setPeriod} />
      ) : (
        <YearChoice years={years} value={year} onChange={setYear} />
      )}
      {hasFailed && <GenerateFailure error={error} />}
    </Dialog>
  )
}
