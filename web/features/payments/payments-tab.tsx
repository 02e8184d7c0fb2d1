import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { type ComponentType, Suspense, useEffect, useRef } from 'react'
import type { Collection } from '#contract/autopay.ts'
import type { Loan } from '#contract/loans.ts'
import { Loaded } from '#web/app/loading/loaded.tsx'
import { useLoad } from '#web/app/loading/use-load.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { type AutopayCardProps, autopayQuery, findPresentedDebit, hasLiveMandate } from '#web/loan/autopay.ts'
import { getLateTone } from '#web/loan/dpd.ts'
import { Banner } from '#web/ui/banner.tsx'
import { Disclosure } from '#web/ui/disclosure.tsx'
import { formatDay, formatMoney } from '#web/ui/format.ts'
import { Later } from '#web/ui/later.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { CompletedPayments } from './history/completed-payments.tsx'
import { LinkedPayment } from './history/linked-payment.tsx'
import { StepList } from './history/payment-trail.tsx'
import { ReceiptButton } from './history/receipt-button.tsx'
import { Countdown } from './pay/countdown.tsx'
import { MakePayment } from './pay/make-payment.tsx'
import { CreateFailure } from './pay/create-failure.tsx'
import { completedQuery } from './payment-queries.ts'
import type { PaymentsStatus } from './payments-controller.ts'
import { PendingPayment } from './pending/pending-payment.tsx'
import { RepaymentSchedule } from './schedule/repayment-schedule.tsx'
import { type Payments, usePayments } from './use-payments.ts'

/**
 * The payments of a loan: open link, payment options, schedule and completed payments (spec §2
 * 'Payments tab').
 */
export function PaymentsTab({ loan, AutopayCard }: { loan: Loan; AutopayCard: ComponentType<AutopayCardProps> }) {
  const { t } = useLingui()
  const payments = usePayments(loan)
  const { schedule, ongoing, status } = payments
  const link = ongoing.data ?? null
  const autopay = useLoad(autopayQuery(loan, useLanguage()))
  const completed = useLoad(completedQuery(loan))
  const debit = findPresentedDebit(autopay.data)
  // Its place is known with the first answer; a failed one keeps nobody from paying.
  const isAutopayAwaited = autopay.isPending && autopay.failureCount === 0
  const failed = status === 'PENDING_PAYMENT_UNKNOWN' ? ongoing : schedule.isError && schedule.data === undefined ? schedule : null
  // A loan that is checked has no payment options.
  useFocusRecovery(link ? 'pending-payment' : loan.loan_status === 'UNKNOWN' ? 'repayment-schedule' : 'make-payment', status)
  // As one query: nothing can be paid before the open link is known, and the place of autopay
  // depends on its state.
  const loaded = {
    data: failed || ongoing.isPending || isAutopayAwaited ? undefined : schedule.data,
    error: failed?.error,
    isFetching: schedule.isFetching || ongoing.isFetching,
    refetch: payments.retry,
  }
  // What is debited need not be paid another way: it is said before the payment options.
  const comesFirst = autopay.data !== undefined && (debit !== null || hasLiveMandate(autopay.data))
  const autopayCard = (
    <Suspense fallback={<Skeleton className="h-80 rounded-lg" />}>
      <AutopayCard loan={loan} hasOpenLink={link !== null} StepList={StepList} ReceiptButton={ReceiptButton} />
    </Suspense>
  )

  return (
    <div className="space-y-4 md:space-y-5">
      <LinkedPayment loan={loan} />
      {/* If the failed attempt left a link behind, or the page could not be loaded, there is no
          button to show the failure at. */}
      {(link || failed) && payments.create.isError && <CreateFailure error={payments.create.error} />}
      <div role="status">{!link && <Cancelled payments={payments} />}</div>
      {link ? <PendingPayment loan={loan} link={link} payments={payments} /> : <OverdueBanner loan={loan} debit={debit} />}
      <Loaded
        query={loaded}
        failed={failed === schedule ? t`Failed to load the schedule` : t`Failed to load pending payments`}
        loading={<PaymentsSkeleton />}
      >
        {(shown) => (
          <>
            {comesFirst && autopayCard}
            {loan.loan_status === 'CLOSED' ? (
              <Disclosure summary={t`Payment options`}>
                <MakePayment loan={loan} schedule={shown} link={link} debit={debit} payments={payments} />
              </Disclosure>
            ) : (
              loan.loan_status !== 'UNKNOWN' && <MakePayment loan={loan} schedule={shown} link={link} debit={debit} payments={payments} />
            )}
            {!comesFirst && autopayCard}
            <Later loading={<Skeleton className="h-210 rounded-lg" />}>
              <RepaymentSchedule loan={loan} rows={shown.repayment_schedule} />
            </Later>
          </>
        )}
      </Loaded>
      <Later loading={<Skeleton className="h-180 rounded-lg" />}>
        <CompletedPayments loan={loan} completed={completed} />
      </Later>
      <Countdown loan={loan} running={payments.running} onRedirectNow={payments.redirectNow} onCancel={payments.cancelCountdown} />
    </div>
  )
}

/** Says that a payment was cancelled, until the next one is started. */
function Cancelled({ payments: { cancel } }: { payments: Payments }) {
  const { t } = useLingui()
  if (!cancel.isSuccess) return null
  const amount = formatMoney(cancel.variables.amount)
  return <Banner tone="positive">{t`The payment of ${amount} is cancelled. Its link no longer works.`}</Banner>
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

/** How late the oldest unpaid EMI is, and what to do: nothing while a debit is presented. */
function OverdueBanner({ loan, debit }: { loan: Loan; debit: Collection | null }) {
  const { t } = useLingui()
  const language = useLanguage()
  if (loan.dpd <= 0 || loan.due_date === null) return null
  const date = formatDay(loan.due_date, language)
  return (
    <Banner tone={getLateTone(loan.dpd)} icon="clock">
      <b className="font-semibold">
        {t`${plural(loan.dpd, { one: `Your EMI of ${date} is # day late.`, other: `Your EMI of ${date} is # days late.` })}`}
      </b>{' '}
      {debit
        ? t`It is being debited by autopay now. Do not pay it another way until your bank has told us the outcome.`
        : t`Pay the overdue amount to stop further late charges.`}
    </Banner>
  )
}

/** A closing dialog restores the focus within this time. */
const settleMs = 300

/**
 * When the focused element has disappeared, the heading with this id gets the focus, so that
 * keyboard and screen reader users continue where the page changed.
 */
function useFocusRecovery(headingId: string, status: PaymentsStatus): void {
  const before = useRef(status)
  useEffect(() => {
    const was = before.current
    before.current = status
    // Before these states there was no control to focus.
    if (was === status || was === 'IDLE' || was === 'PENDING_PAYMENT_UNKNOWN') return undefined
    const timer = setTimeout(() => {
      const heading = document.getElementById(headingId)
      if (heading === null || document.activeElement !== document.body) return
      heading.focus()
    }, settleMs)
    return () => clearTimeout(timer)
  }, [headingId, status])
}
