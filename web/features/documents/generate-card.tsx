import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Loan } from '#contract/loans.ts'
import { dayInIndia, type Day } from '#domain/calendar.ts'
import type { DocumentRefusal, GeneratedDocumentType } from '#domain/documents.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { GenerateFailure, useGenerate } from '#web/loan/generate-document.tsx'
import { getLeadId, scheduleQuery } from '#web/loan/loan-queries.ts'
import { usePermission } from '#web/session/permissions.ts'
import { ActionButton } from '#web/ui/action-button.tsx'
import { Card, CardHead } from '#web/ui/card.tsx'
import { OptionCard, OptionGroup } from '#web/ui/option-card.tsx'
import { documentTypeText } from './document-list.tsx'
import { StatementPeriod, YearChoice, type Period } from './generate-choices.tsx'
import { listFinancialYears, buildFilename, listDocumentOffers } from './generated-offers.ts'

/** Generates a document about the loan as of today (spec §5 'Generated document types'). */
export function GenerateCard({ loan }: { loan: Loan }) {
  const { t, i18n } = useLingui()
  const language = useLanguage()
  const permission = usePermission('document:read')
  const schedule = useQuery(scheduleQuery(loan)).data ?? null
  const generate = useGenerate()
  const [today] = useState(() => dayInIndia(new Date()))
  const years = listFinancialYears(schedule, today)
  const [chosen, setChosen] = useState<GeneratedDocumentType>('statement_of_account')
  const [year, setYear] = useState<string | null>(null)
  const [period, setPeriod] = useState<Period>({ from: null, to: null })
  const offers = listDocumentOffers(loan, schedule)

  const choose = (type: GeneratedDocumentType): void => {
    setChosen(type)
    generate.reset()
  }
  const press = (): void => {
    const extra = buildExtraQuery(chosen, year ?? years[0] ?? null, period)
    generate.mutate({
      query: { lead_id: getLeadId(loan), doc_type: chosen, language, ...extra },
      filename: buildFilename(i18n._(documentTypeText[chosen]), dayInIndia(new Date())),
    })
  }

  return (
    <Card labelledBy="generate-document">
      <CardHead id="generate-document" title={t`Get a document`} subtitle={t`Made fresh, as on today`} />
      <OptionGroup legend={t`Which document?`}>
        {offers.map(({ type, refusal }) => (
          <DocumentOption
            key={type}
            type={type}
            title={i18n._(documentTypeText[type])}
            refusal={refusal}
            checked={type === chosen}
            isBusy={generate.isPending}
            onSelect={choose}
          />
        ))}
      </OptionGroup>
      {chosen === 'statement_of_account' && <StatementPeriod value={period} today={today} onChange={setPeriod} />}
      {chosen === 'interest_certificate' && <YearChoice years={years} value={year ?? years[0] ?? null} onChange={setYear} />}
      <div className="mt-4">
        <ActionButton
          block
          icon="download"
          permission={permission}
          state={generate.isPending ? 'loading' : generate.isError ? 'error' : 'normal'}
          onClick={press}
        >
          {generate.isError ? t`Try Again` : t`Download`}
        </ActionButton>
      </div>
      {generate.isError && <GenerateFailure error={generate.error} />}
    </Card>
  )
}

function buildExtraQuery(
  type: GeneratedDocumentType,
  year: string | null,
  { from, to }: Period,
): { financial_year?: string; from?: Day; to?: Day } {
  if (type === 'interest_certificate') return year === null ? {} : { financial_year: year }
  if (type !== 'statement_of_account') return {}
  return { ...(from !== null && { from }), ...(to !== null && { to }) }
}

const aboutText: Partial<Record<GeneratedDocumentType, MessageDescriptor>> = {
  statement_of_account: msg`All payments and charges, PDF`,
  interest_certificate: msg`Interest and principal paid in a financial year, PDF`,
  repayment_schedule: msg`All instalments, PDF`,
  payoff_letter: msg`What closes the loan, and until when, PDF`,
  loan_closure_certificate: msg`That nothing is owed any more, PDF`,
}

const refusalText: Record<DocumentRefusal, MessageDescriptor> = {
  not_issued: msg`Ask your branch`,
  loan_not_closed: msg`After the loan is closed`,
  nothing_to_pay_off: msg`Nothing is to be paid off`,
  no_schedule: msg`There is no schedule yet`,
}

type DocumentOptionProps = {
  type: GeneratedDocumentType
  title: string
  refusal: DocumentRefusal | null
  checked: boolean
  isBusy: boolean
  onSelect: (type: GeneratedDocumentType) => void
}

function DocumentOption({ type, title, refusal, checked, isBusy, onSelect }: DocumentOptionProps) {
  const { i18n } = useLingui()
  const text = refusal === null ? aboutText[type] : refusalText[refusal]
  return (
    <OptionCard
      name="generated-document"
      value={type}
      checked={checked}
      disabled={refusal !== null || isBusy}
      onSelect={() => onSelect(type)}
      title={title}
      description={text && i18n._(text)}
    />
  )
}
