import { useLingui } from '@lingui/react/macro'
import { Suspense, type ReactNode } from 'react'
import type { Loan, ScheduleRow } from '#contract/loans.ts'
import type { OngoingPayment } from '#contract/payments.ts'
import type { Paise } from '#domain/money.ts'
import { FailureNote } from '#web/app/loading/failure-panel.tsx'
import { useLoad } from '#web/app/loading/use-load.ts'
import { getLoanTabPath } from '#web/app/paths.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { DpdBadge } from '#web/loan/days.tsx'
import { DuesComputed } from '../dues-computed.tsx'
import { scheduleQuery, type Schedule } from '#web/loan/loan-queries.ts'
import { Money } from '#web/loan/money.tsx'
import { purposeText } from '#web/loan/purpose-text.ts'
import { formatDay } from '#web/ui/format.ts'
import { Later } from '#web/ui/later.tsx'
import { TextLink } from '#web/ui/links.tsx'
import { createLazyPart } from '#web/ui/lazy-part.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { findSmallAmountText } from '../option-text.ts'
import { PayNow } from '../pay/pay-now.tsx'
import { isBelowLinkMinimum, purposeOf } from '../pay/payment-options.ts'
import { ongoingQuery } from '../payment-queries.ts'
import type { Payment } from '../payments-controller.ts'
import { PendingAdvice, PendingBadge } from '../pending/pending-status.tsx'
import { findNextDue, listEmisToCome, type NextDue } from './next-payment-due.ts'

/**
 * What to do next about a loan: finish the pending payment, or pay what is overdue or due next. One
 * button creates the payment link, or takes the pending one, and starts the countdown.
 */
export function NextPayment({ loan }: { loan: Loan }) {
  const { t } = useLingui()
  const schedule = useLoad(scheduleQuery(loan))
  const ongoing = useLoad(ongoingQuery(loan))
  if (schedule.isPending || ongoing.isPending) return <Skeleton className="h-58.5 rounded-md lg:h-63.25" />
  const link = ongoing.data ?? null
  const due = findNextDue(loan, schedule.data)
  const isKnown = ongoing.data !== undefined
  // What is overdue is known without the schedule; what may be paid comes with it.
  const payment = schedule.data === undefined ? null : toPayment(due)
  const isOffered = link !== null || payment !== null || schedule.data === undefined
  return (
    <>
      {link ? <PendingHead link={link} /> : <DueHead loan={loan} due={due} schedule={schedule.data} />}
      <div className="space-y-3">
        {/* At the same place before and after a link is created, so that its countdown stays. */}
        {isKnown && isOffered && (
          <PayNow loan={loan} payment={payment} label={due?.kind === 'overdue' ? t`Pay now` : t`Pay EMI`} size="lg" block />
        )}
      </div>
      {!isKnown && (
        <FailureNote
          error={ongoing.error}
          title={t`Failed to load pending payments`}
          onRetry={() => void ongoing.refetch()}
          isRetrying={ongoing.isFetching}
        />
      )}
      {/* What is above one link's limit has no button: the tab says how to pay. */}
      {(link || due?.isLimited) && (
        <TextLink to={getLoanTabPath('payments')} className="flex min-h-target items-center justify-center text-sm">
          {link ? t`Details of this payment` : t`Pay this amount by NEFT or RTGS`}
        </TextLink>
      )}
      {!link && <DueDetails loan={loan} due={due} rows={schedule.data?.repayment_schedule ?? []} />}
    </>
  )
}

const toPayment = (due: NextDue | null): Payment | null =>
  due === null || due.kind === 'upcoming' || due.isLimited || isBelowLinkMinimum(due.amount)
    ? null
    : { purpose: purposeOf[due.kind], amount: due.amount }

type HeadProps = { title: string; badge?: ReactNode; amount?: Paise; children: ReactNode }

/** One heading with its badge, one large amount, and what there is to say about it. */
function Head({ title, badge, amount, children }: HeadProps) {
  return (
    <>
      <div className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-2">
        <h2 className="text-base font-medium text-muted">{title}</h2>
        {badge}
      </div>
      {amount !== undefined && (
        <div>
          <Money amount={amount} size="hero" />
        </div>
      )}
      <p className="mt-2 mb-4 text-sm text-muted">{children}</p>
    </>
  )
}

function PendingHead({ link }: { link: OngoingPayment }) {
  const { t, i18n } = useLingui()
  const purpose = i18n._(purposeText[link.purpose])
  return (
    <Head title={t`A payment is pending`} badge={<PendingBadge link={link} />} amount={link.amount}>
      {t`${purpose}.`} <PendingAdvice link={link} />
    </Head>
  )
}

function DueHead({ loan, due, schedule }: { loan: Loan; due: NextDue | null; schedule: Schedule | undefined }) {
  const { t, i18n } = useLingui()
  const language = useLanguage()
  if (due === null) return <Head title={t`Next EMI`}>{t`Nothing to pay now.`}</Head>
  const text = schedule === undefined || due.kind === 'upcoming' ? null : findSmallAmountText(due.kind, due.amount, schedule)
  const small = text && i18n._(text)
  const hint = (
    <Later loading={null}>
      <AutopayHint loan={loan} due={due} />
    </Later>
  )
  if (due.kind === 'overdue') {
    const date = due.since && formatDay(due.since, language)
    return (
      <Head title={t`Overdue amount`} badge={loan.dpd > 0 && <DpdBadge dpd={loan.dpd} />} amount={due.amount}>
        {small ?? (date === null ? t`Unpaid charges` : t`overdue since ${date}`)}
        {hint}
      </Head>
    )
  }
  const date = formatDay(due.dueDate, language)
  return (
    <Head title={t`Next EMI`} badge={<DpdBadge dpd={loan.dpd} />} amount={due.amount}>
      {small ?? t`due ${date}`}
      {hint}
    </Head>
  )
}

const AutopayHint = createLazyPart(async () => (await import('./autopay-hint.tsx')).AutopayHint)
const AddToCalendar = createLazyPart(async () => (await import('./add-to-calendar.tsx')).AddToCalendar)

type DueDetailsProps = { loan: Loan; due: NextDue | null; rows: readonly ScheduleRow[] }

/** How an overdue amount is computed; the calendar for what is still to come. */
function DueDetails({ loan, due, rows }: DueDetailsProps) {
  if (due?.kind !== 'overdue')
    return (
      listEmisToCome(loan, rows).length > 0 && (
        <Suspense fallback={<Skeleton className="h-target" />}>
          <AddToCalendar loan={loan} rows={rows} />
        </Suspense>
      )
    )
  return <DuesComputed loan={loan} />
}
