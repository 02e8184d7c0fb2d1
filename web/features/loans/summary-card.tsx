import { select } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Suspense, useId, useState, type ComponentType } from 'react'
import type { Loan } from '#contract/loans.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { localeOf } from '#web/i18n/language.ts'
import { DayText } from '#web/loan/days.tsx'
import { ExplainedFigure } from '#web/loan/explained-figure.tsx'
import { Money } from '#web/loan/money.tsx'
import { Banner } from '#web/ui/banner.tsx'
import { Spinner } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { ExplainButton, Facts } from '#web/ui/facts.tsx'
import { formatDay, formatMoney } from '#web/ui/format.ts'
import { Later } from '#web/ui/later.tsx'
import { createLazyPart } from '#web/ui/lazy-part.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { ChartSkeleton, Progress } from './progress.tsx'
import { computeSharePercent, getUnpaidPrincipal } from './repayment-progress.ts'
import { WhatIfLink } from './what-if-link.tsx'

/** Few loans are closed. */
const ClosedPart = createLazyPart(async () => (await import('./closed-loan.tsx')).ClosedLoan)
const loadComputed = () => import('./computed-figures.tsx')
const AprComputed = createLazyPart(async () => (await loadComputed()).AprComputed)
const OutstandingComputed = createLazyPart(async () => (await loadComputed()).OutstandingComputed)

type SummaryCardProps = {
  loan: Loan
  /** What to do next, from the payments. */
  NextPayment: ComponentType<{ loan: Loan }>
}

/** The loan's summary: what to do next, then what is outstanding, the progress, and the terms. */
export function SummaryCard({ loan, NextPayment }: SummaryCardProps) {
  const { t } = useLingui()
  return (
    <Card label={t`Loan summary`}>
      <div className="grid gap-6 md:gap-8 lg:gap-y-0 lg:grid-cols-[minmax(0,23rem)_minmax(0,1fr)]">
        <div className="space-y-4">
          {loan.loan_status === 'CLOSED' ? (
            <ClosedLoan loan={loan} />
          ) : (
            <div className="md:max-w-[23rem]">
              <Suspense fallback={<Skeleton className="h-58.5 rounded-md lg:h-63.25" />}>
                <NextPayment loan={loan} />
              </Suspense>
            </div>
          )}
          <Principal loan={loan} />
        </div>
        <Later loading={<ChartSkeleton />}>
          <Progress loan={loan} />
        </Later>
      </div>
      {loan.credit_amount > 0n && (
        <Banner className="mt-5">
          {loan.loan_status === 'CLOSED' ? (
            <Trans>
              You have paid <Money amount={loan.credit_amount} className="font-semibold" /> too much. It will be sent back to you.
            </Trans>
          ) : (
            <Trans>
              You have paid <Money amount={loan.credit_amount} className="font-semibold" /> in advance. It will be used on the next due
              date.
            </Trans>
          )}
        </Banner>
      )}
      <div className="mt-5 border-t border-line pt-5">
        <Later loading={<Skeleton className="h-40 md:h-20" />}>
          <LoanFacts loan={loan} />
        </Later>
      </div>
    </Card>
  )
}

/** The end of a loan, also above its payments, in its height: nothing moves when it comes. */
export function ClosedLoan({ loan }: { loan: Loan }) {
  return (
    <div className="min-h-85">
      <Suspense>
        <ClosedPart loan={loan} />
      </Suspense>
    </div>
  )
}

/** The principal that is left, how it is computed beside it, and what was paid so far. */
function Principal({ loan }: { loan: Loan }) {
  const { t } = useLingui()
  const panelId = useId()
  const [isOpen, setIsOpen] = useState(false)
  const [repaid, interest] = [formatMoney(loan.principal_paid), formatMoney(loan.interest_paid)]
  const percent = computeSharePercent(loan.principal_paid, getUnpaidPrincipal(loan))
  return (
    <div className="border-t border-line pt-4">
      <div className="flex flex-wrap items-center gap-x-1">
        <h2 className="text-base font-medium text-muted">{t`Principal outstanding`}</h2>
        <ExplainButton label={t`Principal outstanding`} panelId={panelId} isOpen={isOpen} onToggle={() => setIsOpen(!isOpen)} />
      </div>
      <Money amount={loan.principal_outstanding} size="md" />
      <p className="text-sm text-muted">
        {loan.loan_status === 'CLOSED' ? (
          <Trans>
            as on <DayText day={loan.as_of} />
          </Trans>
        ) : (
          <>
            <Trans>
              as on <DayText day={loan.as_of} />. Interest up to today is not included.
            </Trans>{' '}
            <WhatIfLink loan={loan} />
          </>
        )}
      </p>
      <p className="mt-2 text-sm">{t`Paid so far: ${repaid} of the principal (${percent}%) and ${interest} of interest.`}</p>
      <div id={panelId} className={isOpen ? 'mt-3 rounded-md bg-surface p-4' : ''}>
        {isOpen && (
          <Suspense fallback={<Spinner />}>
            <OutstandingComputed loan={loan} />
          </Suspense>
        )}
      </div>
    </div>
  )
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
  const { due_day: dueDay = 0 } = loan
  // selectOrdinal would create an Intl.NumberFormat: 9 ms, and four times that on a cheap phone.
  const ordinal = new Intl.PluralRules(localeOf[language], { type: 'ordinal' }).select(dueDay)
  const emi = {
    label: t`EMI`,
    value: <Money amount={loan.emi_amount} />,
    ...(loan.emi_amount > 0n && { explain: <ExplainedFigure loan={loan} what="instalment" name={t`EMI`} /> }),
    note: next
      ? t`${nextEmi} from ${nextFrom}`
      : last !== null &&
        dueDay > 0 &&
        (dueDay === 31
          ? t`on the last day of each month`
          : t`${select(ordinal, { one: `on the ${dueDay}st of each month`, two: `on the ${dueDay}nd of each month`, few: `on the ${dueDay}rd of each month`, other: `on the ${dueDay}th of each month` })}`),
  }
  const isClosed = loan.loan_status === 'CLOSED'
  const facts = [
    ...(isClosed ? [] : [emi]),
    {
      label: t`Interest rate`,
      value: `${loan.interest_rate}%`,
      note: apr === null ? t`a year` : t`a year, APR ${apr}%`,
      ...(apr !== null && {
        explain: (
          <Suspense fallback={<Spinner />}>
            <AprComputed loan={loan} apr={apr} />
          </Suspense>
        ),
      }),
    },
    { label: t`Sanctioned`, value: <Money amount={loan.sanctioned_amount} />, note: t`${disbursed} disbursed` },
    {
      label: t`Instalments left`,
      value: loan.number_of_emis_due,
      note: last && loan.number_of_emis_due > 0 ? t`${paid} paid, last one due on ${last}` : t`${paid} paid`,
    },
  ]
  return <Facts facts={facts} />
}
