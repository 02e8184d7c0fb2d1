import { selectOrdinal } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import type { Loan } from '#contract/loans.ts'
import { useLoad } from '#web/app/loading/use-load.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { DayText, DpdBadge } from '#web/loan/days.tsx'
import { ExplainedFigure, HowComputed } from '#web/loan/explained-figure.tsx'
import { scheduleQuery } from '#web/loan/loan-queries.ts'
import { Money } from '#web/loan/money.tsx'
import { Banner } from '#web/ui/banner.tsx'
import { Card } from '#web/ui/card.tsx'
import { Facts } from '#web/ui/facts.tsx'
import { formatDay, formatMoney } from '#web/ui/format.ts'
import { AprComputed, OutstandingComputed } from './computed-figures.tsx'
import { DueBox } from './due-box.tsx'
import { LoanStatusBadge } from './loan-selector.tsx'
import { Progress } from './progress.tsx'

/** The loan's summary: what is outstanding, what is due next, and the progress. */
export function SummaryCard({ loan }: { loan: Loan }) {
  const { t } = useLingui()
  const schedule = useLoad(scheduleQuery(loan))
  return (
    <Card labelledBy="loan-summary">
      <div className="grid gap-6 md:gap-8 lg:gap-y-0 lg:grid-cols-[minmax(0,23rem)_minmax(0,1fr)]">
        <div className="flex flex-col">
          <div className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-2">
            <h2 id="loan-summary" className="text-base font-medium text-muted">
              {t`Principal outstanding`}
            </h2>
            <CurrentStatusBadge loan={loan} />
          </div>
          <div>
            <Money amount={loan.principal_outstanding} size="hero" />
          </div>
          <p className="mt-2 mb-5 text-sm text-muted">
            {loan.loan_status === 'CLOSED' ? (
              <Trans>
                as on <DayText day={loan.as_of} />
              </Trans>
            ) : (
              <Trans>
                as on <DayText day={loan.as_of} />. Interest to the day is extra.
              </Trans>
            )}
          </p>
          <div className="mt-auto">
            <DueBox loan={loan} schedule={schedule} />
            {loan.dpd > 0 && (
              <HowComputed
                loan={loan}
                figures={[
                  { what: 'dues', name: t`Dues` },
                  { what: 'dpd', name: t`Days late` },
                ]}
              />
            )}
          </div>
        </div>
        <Progress loan={loan} schedule={schedule} />
      </div>
      {loan.credit_amount > 0n && (
        <Banner className="mt-5">
          <Trans>
            You have paid <Money amount={loan.credit_amount} className="font-semibold" /> in advance. It is used on the next due date.
          </Trans>
        </Banner>
      )}
      <div className="mt-5 border-t border-line pt-5">
        <LoanFacts loan={loan} />
      </div>
      <div className="-mb-4 mt-5 border-t border-line">
        <OutstandingComputed loan={loan} />
      </div>
    </Card>
  )
}

function CurrentStatusBadge({ loan }: { loan: Loan }) {
  return loan.loan_status === 'CLOSED' || loan.loan_status === 'UNKNOWN' ? <LoanStatusBadge loan={loan} /> : <DpdBadge dpd={loan.dpd} />
}

function LoanFacts({ loan }: { loan: Loan }) {
  const { t } = useLingui()
  const language = useLanguage()
  const disbursed = formatMoney(loan.disbursed_amount)
  const paid = loan.number_of_emis_paid
  const apr = loan.annual_percentage_rate
  const last = loan.last_due_date && formatDay(loan.last_due_date, language)
  const next = loan.next_emi
  const [nextEmi, nextFrom] = [next ? formatMoney(next.amount) : '', next ? formatDay(next.from, language) : '']
  const dueDay = Math.max(...[loan.due_date, loan.last_due_date].map((day) => Number(day?.slice(8) ?? 0)))
  const facts = [
    {
      label: t`EMI`,
      value: <Money amount={loan.emi_amount} />,
      ...(loan.emi_amount > 0n && { explain: <ExplainedFigure loan={loan} what="instalment" name={t`EMI`} /> }),
      note: next
        ? t`${nextEmi} from ${nextFrom}`
        : dueDay > 0 &&
          t`${selectOrdinal(dueDay, { one: 'on the #st of each month', two: 'on the #nd of each month', few: 'on the #rd of each month', other: 'on the #th of each month' })}`,
    },
    {
      label: t`Interest rate`,
      value: `${loan.interest_rate}%`,
      note: apr === null ? t`a year` : t`a year, APR ${apr}%`,
      ...(apr !== null && { explain: <AprComputed loan={loan} apr={apr} /> }),
    },
    { label: t`Sanctioned`, value: <Money amount={loan.sanctioned_amount} />, note: t`${disbursed} disbursed` },
    {
      label: t`Instalments left`,
      value: loan.number_of_emis_due,
      note: last && loan.number_of_emis_due > 0 ? t`${paid} paid, last on ${last}` : t`${paid} paid`,
    },
  ]
  return <Facts facts={facts} />
}
