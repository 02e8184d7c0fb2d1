import { useLingui } from '@lingui/react/macro'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Loan } from '#contract/loans.ts'
import type { Day } from '#domain/calendar.ts'
import type { Paise } from '#domain/money.ts'
import { getLoanTabPath } from '#web/app/paths.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { getDpdTone } from '#web/loan/dpd.ts'
import type { Schedule } from '#web/loan/loan-queries.ts'
import { Money } from '#web/loan/money.tsx'
import { formatDay } from '#web/ui/format.ts'
import { ButtonLink } from '#web/ui/links.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'

type Due = { kind: 'overdue' | 'next_emi'; amount: Paise; date: Day | null }

/** The amount due next, with a link to pay it. */
export function DueBox({ loan, schedule }: { loan: Loan; schedule: UseQueryResult<Schedule> }) {
  const { t } = useLingui()
  const language = useLanguage()
  if (schedule.isPending) return <Skeleton className="h-26 rounded-md" />
  const due = findDue(loan, schedule.data)
  if (due === null) {
    return (
      <Box tone="bg-sunken">
        <p className="text-sm">
          {loan.loan_status === 'CLOSED' ? t`This loan is closed. Nothing is left to pay.` : t`Nothing is to be paid now.`}
        </p>
      </Box>
    )
  }
  const date = due.date && formatDay(due.date, language)
  const isLate = due.kind === 'overdue'
  return (
    <Box tone={!isLate ? 'bg-brand-soft' : getDpdTone(loan.dpd) === 'danger' ? 'bg-danger-soft' : 'bg-caution-soft'}>
      <div className="min-w-28 flex-1">
        <p className="text-sm">{isLate ? t`Overdue amount` : t`Next EMI`}</p>
        <p>
          <Money amount={due.amount} size="sm" />
        </p>
        {date && <p className="text-sm text-muted">{isLate ? t`since ${date}` : t`due ${date}`}</p>}
      </div>
      <ButtonLink to={getLoanTabPath('payments')} className="flex-none">
        {isLate ? t`Pay now` : t`Pay EMI`}
      </ButtonLink>
    </Box>
  )
}

function Box({ tone, children }: { tone: string; children: ReactNode }) {
  return (
    <div className={`flex min-h-26 flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-md p-3 md:px-4 ${tone}`}>{children}</div>
  )
}

/** From the payment options; without a schedule, from the loan's summary. */
function findDue(loan: Loan, schedule: Schedule | undefined): Due | null {
  if (schedule === undefined) {
    if (loan.dpd > 0) return { kind: 'overdue', amount: loan.dues, date: loan.due_date }
    return loan.due_date === null ? null : { kind: 'next_emi', amount: loan.emi_amount, date: loan.due_date }
  }
  const { overdue_payment: overdue, next_emi_payment: nextEmi } = schedule.allowed_payments
  if (overdue.amount > 0n) return { kind: 'overdue', amount: overdue.amount, date: overdue.dpd > 0 ? loan.due_date : null }
  return nextEmi === undefined ? null : { kind: 'next_emi', amount: nextEmi.amount, date: nextEmi.due_date }
}
