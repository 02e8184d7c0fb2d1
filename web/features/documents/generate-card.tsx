import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { Suspense, useState } from 'react'
import type { Loan } from '#contract/loans.ts'
import type { DocumentRefusal, GeneratedDocumentType } from '#domain/documents.ts'
import { FailureLine } from '#web/app/loading/failure-panel.tsx'
import { useLoad } from '#web/app/loading/use-load.ts'
import { documentTypeText } from '#web/loan/document-names.ts'
import { GenerateFailure, getGenerateState } from '#web/loan/generate-document.tsx'
import { scheduleQuery } from '#web/loan/loan-queries.ts'
import { usePermission } from '#web/session/permissions.ts'
import { ActionButton } from '#web/ui/action-button.tsx'
import type { PermissionAnswer } from '#web/ui/action-state.ts'
import { Card, CardHead } from '#web/ui/card.tsx'
import { createLazyPart, usePreloadWhenIdle } from '#web/ui/lazy-part.tsx'
import { PermissionReason } from '#web/ui/permission-reason.tsx'
import { groupRefusals, listDocumentOffers, listFinancialYears, type GeneratedOffer } from './generated-offers.ts'
import { type DocumentOfPeriod, hasPeriod, useDownload } from './use-download.ts'

const PeriodDialog = createLazyPart(async () => (await import('./period-dialog.tsx')).PeriodDialog)

/** Documents of the loan as of today, each with a download (spec §5 'Generated document types'). */
export function GenerateCard({ loan }: { loan: Loan }) {
  const { t, i18n } = useLingui()
  usePreloadWhenIdle(PeriodDialog)
  const schedule = useLoad(scheduleQuery(loan))
  const known = schedule.data ?? (schedule.isPending ? 'loading' : null)
  const [asked, setAsked] = useState<DocumentOfPeriod | null>(null)
  const permission = usePermission('document:read')
  const offers = listDocumentOffers(loan, known)
  const offered = offers.filter(({ refusal }) => refusal === null)
  const notLoaded = offers.filter(({ refusal }) => refusal === 'not_loaded').map(({ type }) => i18n._(documentTypeText[type]))
  return (
    <Card labelledBy="generate-document">
      <CardHead id="generate-document" title={t`Get a document`} subtitle={t`PDF, as of today`} />
      <ul className="border-t border-rule">
        {offered.map((offer) => (
          <OfferRow key={offer.type} loan={loan} offer={offer} permission={permission} onAskPeriod={setAsked} />
        ))}
        {notLoaded.length > 0 && (
          <li className="flex items-center justify-between gap-3 py-2">
            <FailureLine
              error={schedule.error}
              title={`${notLoaded.join(', ')}: ${t`Failed to load the schedule`}`}
              onRetry={() => void schedule.refetch()}
              isRetrying={schedule.isFetching}
            />
          </li>
        )}
      </ul>
      {offered.length > 0 && <PermissionReason permission={permission} className="mt-2" />}
      <Refusals offers={offers} />
      {asked !== null && (
        <Suspense>
          <PeriodDialog
            key={asked}
            loan={loan}
            type={asked}
            title={i18n._(documentTypeText[asked])}
            years={listFinancialYears(loan)}
            today={loan.as_of}
            onClose={() => setAsked(null)}
          />
        </Suspense>
      )}
    </Card>
  )
}

type OfferRowProps = { loan: Loan; offer: GeneratedOffer; permission: PermissionAnswer; onAskPeriod: (type: DocumentOfPeriod) => void }

/** A document with its download, or with the question for its period. */
function OfferRow({ loan, offer: { type, isPending }, permission, onAskPeriod }: OfferRowProps) {
  const { t, i18n } = useLingui()
  const { generate, download } = useDownload(loan, type)
  const state = getGenerateState(generate)
  const about = aboutText[type]
  return (
    <li className="border-b border-line py-2 last:border-b-0">
      <div className="flex items-center justify-between gap-3">
        <div className="min-w-0">
          <p className="font-semibold">{i18n._(documentTypeText[type])}</p>
          {about && <p className="text-sm text-muted">{i18n._(about)}</p>}
        </div>
        <div className="-mr-3 flex-none">
          <ActionButton
            variant="quiet"
            size="sm"
            icon="download"
            permission={permission}
            showReason={false}
            state={isPending ? 'loading' : state}
            onClick={() => (hasPeriod(type) ? onAskPeriod(type) : download())}
          >
            {state === 'error' ? t`Try Again` : t`Download`}
            <span className="sr-only"> {i18n._(documentTypeText[type])}</span>
          </ActionButton>
        </div>
      </div>
      {generate.isError && <GenerateFailure error={generate.error} />}
    </li>
  )
}

/** What cannot be downloaded now: disabled options, a line for each reason. */
function Refusals({ offers }: { offers: readonly GeneratedOffer[] }) {
  const { i18n } = useLingui()
  return (
    <ul className="mt-3 space-y-2 border-t border-line pt-3 text-sm text-muted">
      {[...groupRefusals(offers)].map(([refusal, types]) => (
        <li key={refusal}>
          <span id={`refused-${refusal}`}>{i18n._(refusalText[refusal])}: </span>
          {types.map((type, index) => (
            <span key={type}>
              {index > 0 && ', '}
              <button
                type="button"
                aria-disabled="true"
                data-printed
                aria-describedby={`refused-${refusal}`}
                className="relative cursor-not-allowed after:absolute after:inset-x-0 after:-inset-y-2.75"
              >
                {i18n._(documentTypeText[type])}
              </button>
            </span>
          ))}
        </li>
      ))}
    </ul>
  )
}

const aboutText: Partial<Record<GeneratedDocumentType, MessageDescriptor>> = {
  statement_of_account: msg`All payments and charges`,
  interest_certificate: msg`Interest and principal paid in a financial year`,
  repayment_schedule: msg`All instalments`,
  payoff_letter: msg`The amount that closes the loan, and until when`,
  loan_closure_certificate: msg`Confirms that nothing is owed`,
}

const refusalText: Record<DocumentRefusal, MessageDescriptor> = {
  not_issued: msg`See ‘Papers from your lender’, or ask customer support`,
  loan_not_closed: msg`After the loan is closed`,
  loan_unknown: msg`Your lender is checking this loan`,
  nothing_to_pay_off: msg`Nothing left to pay`,
  no_schedule: msg`There is no schedule yet`,
}
