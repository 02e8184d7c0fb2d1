import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Loan } from '#contract/loans.ts'
import { dayInIndia, type Day } from '#domain/calendar.ts'
import type { DocumentRefusal, GeneratedDocumentType } from '#domain/documents.ts'
import { getLeadId, scheduleQuery } from '#web/loan/loan-queries.ts'
import { usePermission } from '#web/session/permissions.ts'
import { GenerateFailure, useGenerate } from '#web/loan/generate-document.tsx'
import { useLanguage } from '#web/i18n/i18n.ts'
import { Card, CardHead } from '#web/ui/card.tsx'
import { useGeneratedLabels } from './document-list.tsx'
import { ActionButton } from '#web/ui/action-button.tsx'
import { OptionCard, OptionGroup } from '#web/ui/option-card.tsx'
import { listFinancialYears, buildFilename, listDocumentOffers } from './generated-offers.ts'
import { StatementPeriod, YearChoice, type Period } from './generate-choices.tsx'

/** Generates a document about the loan as of today (spec §5 'Generated document types'). */
export function GenerateCard({ loan }: { loan: Loan }) {
  const { t } = useLingui()
  const language = useLanguage()
  const permission = usePermission('document:read')
  const schedule = useQuery(scheduleQuery(loan)).data ?? null
  const generate = useGenerate()
  const labels = useGeneratedLabels()
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
      filename: buildFilename(labels[chosen], dayInIndia(new Date())),
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
            title={labels[type]}
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

type DocumentOptionProps = {
  type: GeneratedDocumentType
  title: string
  refusal: DocumentRefusal | null
  checked: boolean
  isBusy: boolean
  onSelect: (type: GeneratedDocumentType) => void
}

function DocumentOption({ type, title, refusal, checked, isBusy, onSelect }: DocumentOptionProps) {
  const { t } = useLingui()
  const about: Partial<Record<GeneratedDocumentType, string>> = {
    statement_of_account: t`All payments and charges, PDF`,
    interest_certificate: t`Interest and principal paid in a financial year, PDF`,
    repayment_schedule: t`All instalments, PDF`,
    payoff_letter: t`What closes the loan, and until when, PDF`,
    loan_closure_certificate: t`That nothing is owed any more, PDF`,
  }
  const reasons: Record<DocumentRefusal, string> = {
    not_issued: t`Ask your branch`,
    loan_not_closed: t`After the loan is closed`,
    nothing_to_pay_off: t`Nothing is to be paid off`,
    no_schedule: t`There is no schedule yet`,
  }
  return (
    <OptionCard
      name="generated-document"
      value={type}
      checked={checked}
      disabled={refusal !== null || isBusy}
      onSelect={() => onSelect(type)}
      title={title}
      description={refusal === null ? about[type] : reasons[refusal]}
    />
  )
}
