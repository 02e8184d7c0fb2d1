import { useLingui } from '@lingui/react/macro'
import type { Loan } from '#contract/loans.ts'
import { usePermission } from '#web/session/permissions.ts'
import { ActionButton } from '#web/ui/action-button.tsx'
import { getCallState } from '#web/ui/action-state.ts'
import type { ButtonSize } from '#web/ui/button-class.ts'
import type { Payment } from '../payments-controller.ts'
import { findLinkObstacle, usePayments } from '../use-payments.ts'
import { Countdown } from './countdown.tsx'
import { CreateFailure } from './create-failure.tsx'

type PayNowProps = {
  loan: Loan
  /** Null if what is offered is not known. */
  payment: Payment | null
  /** The button's text while no payment is pending. */
  label: string
  size?: ButtonSize
  /** As wide as its container. */
  block?: boolean
}

/**
 * One press from another page to the countdown: pays what is due, or resumes the pending payment.
 * Three elements in a row: the failure, the button, the dialog.
 */
export function PayNow({ loan, payment, label, ...look }: PayNowProps) {
  const { t, i18n } = useLingui()
  const payments = usePayments(loan)
  const { create, ongoing, canCreate, status, running } = payments
  const mayCreate = usePermission('payment_link:create')
  const mayUpdate = usePermission('payment_link:update')
  // The countdown covers the button, which keeps its look: a new link is not there yet.
  const link = running.phase !== 'off' && running.isNew ? null : (ongoing.data ?? null)
  const isWaiting = !canCreate && !create.isPending && status !== 'PAYMENT_REDIRECT_COUNTDOWN'
  const obstacle = link && findLinkObstacle(link)
  const waitingFor = payment === null ? t`The payment options could not be loaded` : t`Checking for pending payments`
  return (
    <>
      {create.isError && <CreateFailure error={create.error} />}
      {link ? (
        <ActionButton
          {...look}
          permission={mayUpdate}
          disabledReason={obstacle && i18n._(obstacle)}
          iconAfter="arrowRight"
          onClick={() => payments.resume(link)}
        >
          {t`Resume payment`}
        </ActionButton>
      ) : (
        <ActionButton
          {...look}
          permission={mayCreate}
          disabledReason={isWaiting || payment === null ? waitingFor : null}
          showReason={mayCreate === 'denied' || mayCreate === 'unknown' || payment === null}
          state={getCallState(create)}
          iconAfter="arrowRight"
          onClick={() => payment && payments.pay(payment)}
        >
          {label}
        </ActionButton>
      )}
      <Countdown loan={loan} running={running} onRedirectNow={payments.redirectNow} onCancel={payments.cancelCountdown} />
    </>
  )
}
