import { useLingui } from '@lingui/react/macro'
import type { Loan } from '#contract/loans.ts'
import { usePermission } from '#web/session/permissions.ts'
import { ActionButton } from '#web/ui/action-button.tsx'
import { isBeingApplied, type Payment } from '../payments-controller.ts'
import { usePayments } from '../use-payments.ts'
import { CountdownDialog } from './countdown-dialog.tsx'
import { CreateFailure } from './pay-bar.tsx'

/** `label` is the button's text while no payment is pending. */
type PayNowProps = { loan: Loan; payment: Payment; label: string }

/**
 * One press from another page to the countdown: pays what is due, or resumes the pending payment.
 * Three elements in a row: the failure, the button, the dialog.
 */
export function PayNow({ loan, payment, label }: PayNowProps) {
  const { t } = useLingui()
  const payments = usePayments(loan)
  const { create, ongoing, canCreate, status, running } = payments
  const mayCreate = usePermission('payment_link:create')
  const mayUpdate = usePermission('payment_link:update')
  const link = running.phase === 'off' ? (ongoing.data ?? null) : null
  const isWaiting = !canCreate && !create.isPending && status !== 'PAYMENT_REDIRECT_COUNTDOWN'
  return (
    <>
      {create.isError && <CreateFailure error={create.error} />}
      {link ? (
        <ActionButton
          permission={mayUpdate}
          disabledReason={isBeingApplied(link) ? t`This payment is being applied` : null}
          iconAfter="arrowRight"
          onClick={() => payments.resume(link)}
        >
          {t`Resume payment`}
        </ActionButton>
      ) : (
        <ActionButton
          permission={mayCreate}
          disabledReason={isWaiting ? t`Checking for pending payments` : null}
          showReason={mayCreate === 'denied'}
          state={create.isPending ? 'loading' : create.isError ? 'error' : 'normal'}
          onClick={() => payments.pay(payment)}
        >
          {label}
        </ActionButton>
      )}
      <CountdownDialog loan={loan} running={running} onRedirectNow={payments.redirectNow} onCancel={payments.cancelCountdown} />
    </>
  )
}
