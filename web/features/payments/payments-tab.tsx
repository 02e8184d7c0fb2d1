import { useLingui } from '@lingui/react/macro'
import type { Loan } from '#contract/loans.ts'
import { FailurePanel } from '#web/app/loading/failure-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { CompletedPayments } from './history/completed-payments.tsx'
import { CreateFailure } from './pay/create-failure.tsx'
import { CountdownDialog } from './pay/countdown-dialog.tsx'
import { MakePayment } from './pay/make-payment.tsx'
import { OverdueBanner } from './pay/overdue-banner.tsx'
import { PendingPayment } from './pending/pending-payment.tsx'
import { RepaymentSchedule } from './schedule/repayment-schedule.tsx'
import { useKeptFocus } from './use-kept-focus.ts'
import { usePayments } from './use-payments.ts'

/** Paying one loan: what is pending, what may be paid, the schedule, what was paid (spec §2 'Payments tab'). */
export function PaymentsTab({ loan }: { loan: Loan }) {
  const { t } = useLingui()
  const payments = usePayments(loan)
  const { schedule, ongoing, status } = payments
  const link = ongoing.data ?? null
  const failed = status === 'PENDING_PAYMENT_UNKNOWN' ? ongoing : schedule.isError && schedule.data === undefined ? schedule : null
  useKeptFocus(link ? 'pending-payment' : 'make-payment', status)
  const loading = schedule.isPending || ongoing.isPending

  let middle = null
  if (failed) {
    middle = (
      <FailurePanel
        error={failed.error}
        title={failed === schedule ? t`Failed to load the schedule` : t`Failed to load pending payments`}
        onRetry={() => void payments.retry()}
        isRetrying={schedule.isFetching || ongoing.isFetching}
      />
    )
  } else if (loading || schedule.data === undefined) {
    middle = <PaymentsSkeleton />
  } else {
    middle = (
      <>
        <MakePayment loan={loan} schedule={schedule.data} link={link} payments={payments} />
        <RepaymentSchedule loan={loan} rows={schedule.data.repayment_schedule} />
      </>
    )
  }

  return (
    <div className="space-y-4 md:space-y-5">
      {/* Where the failed attempt left a link behind, or the page without an answer, there is no button any more to tell it at. */}
      {(link || failed) && payments.create.isError && <CreateFailure error={payments.create.error} />}
      {link ? <PendingPayment loan={loan} link={link} payments={payments} /> : <OverdueBanner loan={loan} />}
      {middle}
      <CompletedPayments loan={loan} completed={payments.completed} />
      <CountdownDialog loan={loan} running={payments.running} onRedirectNow={payments.redirectNow} onCancel={payments.cancelCountdown} />
    </div>
  )
}

function PaymentsSkeleton() {
  const { t } = useLingui()
  return (
    <div role="status">
      <span className="sr-only">{t`Loading payments...`}</span>
      <div className="grid gap-4 md:gap-5 lg:grid-cols-[minmax(0,1.55fr)_minmax(0,1fr)]">
        <Skeleton className="h-120 rounded-lg" />
        <Skeleton className="h-60 rounded-lg" />
      </div>
      <Skeleton className="mt-4 h-130 rounded-lg md:mt-5" />
    </div>
  )
}
