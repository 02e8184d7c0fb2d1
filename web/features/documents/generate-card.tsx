import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Loan } from '#contract/loans.ts'
import { dayInIndia } from '#domain/calendar.ts'
import type { DocumentRefusal, GeneratedDocumentType } from '#domain/documents.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { GenerateFailure, useGenerate } from '#web/loan/generate-document.tsx'
import { getLeadId, scheduleQuery } from '#web/loan/loan-queries.ts'
import { usePermission } from '#web/session/permissions.ts'
import { ActionButton } from '#web/ui/action-button.tsx'
import { Card, CardHead } from '#web/ui/card.tsx'
import { documentTypeText } from './document-list.tsx'
import { buildFilename, groupRefusals, listDocumentOffers, listFinancialYears, type GeneratedOffer } from './generated-offers.ts'
import { PeriodDialog, type PeriodQuery } from './period-dialog.tsx'

/** Documents of the loan as of today, each with a download (spec §5 'Generated document types'). */
export function GenerateCard({ loan }: { loan: Loan }) {
  const { t, i18n } = useLingui()
  const language = useLanguage()
  const schedule = useQuery(scheduleQuery(loan))
  const known = schedule.data ?? (schedule.isPending ? 'loading' : null)
  const generate = useGenerate()
  const [today] = useState(() => dayInIndia(new Date()))
  const [asked, setAsked] = useState<'statement_of_account' | 'interest_certificate' | null>(null)
  const offers = listDocumentOffers(loan, known)
  const tried = generate.variables?.query.doc_type

  const download = (type: GeneratedDocumentType, period: PeriodQuery = {}): void =>
    generate.mutate(
      {
        query: { lead_id: getLeadId(loan), doc_type: type, language, ...period },
        filename: buildFilename(i18n._(documentTypeText[type]), dayInIndia(new Date())),
      },
      { onSuccess: () => setAsked(null) },
    )
  const press = (type: GeneratedDocumentType): void => {
    if (generate.isPending) return
    if (type !== 'statement_of_account' && type !== 'interest_certificate') return download(type)
    generate.reset()
    setAsked(type)
  }

  return (
    <Card labelledBy="generate-document">
      <CardHead id="generate-document" title={t`Get a document`} subtitle={t`PDF, as of today`} />
      <ul className="border-t border-rule">
        {offers
          .filter(({ refusal }) => refusal === null)
          .map((offer) => (
            <OfferRow
              key={offer.type}
              offer={offer}
              isBusy={generate.isPending && tried === offer.type}
              error={tried === offer.type && asked === null ? generate.error : null}
              onPress={press}
            />
          ))}
      </ul>
      <Refusals offers={offers} />
      {asked !== null && (
        <PeriodDialog
          key={asked}
          type={asked}
          title={i18n._(documentTypeText[asked])}
          years={listFinancialYears(known, today)}
          today={today}
          isPending={generate.isPending}
          error={generate.error}
          onClose={() => setAsked(null)}
          onDownload={(period) => download(asked, period)}
        />
      )}
    </Card>
  )
}

type OfferRowProps = { offer: GeneratedOffer; isBusy: boolean; error: unknown; onPress: (type: GeneratedDocumentType) => void }

function OfferRow({ offer: { type, isPending }, isBusy, error, onPress }: OfferRowProps) {
  const { t, i18n } = useLingui()
  const permission = usePermission('document:read')
  const about = aboutText[type]
  const hasFailed = error !== null
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
            state={isPending || isBusy ? 'loading' : hasFailed ? 'error' : 'normal'}
            onClick={() => onPress(type)}
          >
            {hasFailed ? t`Try Again` : t`Download`}
            <span className="sr-only"> {i18n._(documentTypeText[type])}</span>
          </ActionButton>
        </div>
      </div>
      {hasFailed && <GenerateFailure error={error} />}
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
              <button type="button" aria-disabled="true" aria-describedby={`refused-${refusal}`} className="hit-area cursor-not-allowed">
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
  not_issued: msg`Ask your branch`,
  loan_not_closed: msg`After the loan is closed`,
  nothing_to_pay_off: msg`Nothing left to pay`,
  no_schedule: msg`There is no schedule yet`,
}
