import { useLingui } from '@lingui/react/macro'
import { useEffect, useRef } from 'react'
import type { PaymentLink } from '#contract/payments.ts'
import { usePermission } from '#web/session/permissions.ts'
import { ActionButton } from '#web/ui/action-button.tsx'
import { getCallState } from '#web/ui/action-state.ts'
import { Banner } from '#web/ui/banner.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { formatMoney } from '#web/ui/format.ts'
import type { Payments } from '../use-payments.ts'

type CancelPaymentDialogProps = { open: boolean; link: PaymentLink; cancel: Payments['cancel']; onClose: () => void }

/**
 * Confirms cancelling a link. Both buttons have the same size, and both need payment_link:update
 * (spec §6).
 */
export function CancelPaymentDialog({ open, link, cancel, onClose }: CancelPaymentDialogProps) {
  const { t } = useLingui()
  const permission = usePermission('payment_link:update')
  const keep = useRef<HTMLButtonElement>(null)
  const amount = formatMoney(link.amount)
  const { isPending, isError, reset, mutate } = cancel

  // The dialog opens without an earlier failure.
  useEffect(() => {
    if (open) reset()
  }, [open, reset])

  return (
    <Dialog
      open={open}
      isBusy={isPending}
      onClose={onClose}
      title={t`Cancel this payment?`}
      description={t`The link for ${amount} will stop working. If you have just paid, do not cancel: wait for this page to update.`}
      initialFocus={keep}
      actions={
        <>
          <ActionButton
            variant="danger"
            permission={permission}
            state={getCallState({ isPending, isError })}
            className="max-md:w-full"
            onClick={() => mutate(link, { onSuccess: onClose })}
          >
            {t`Yes, cancel payment`}
          </ActionButton>
          <ActionButton
            ref={keep}
            permission={permission}
            state={isPending ? 'disabled' : 'normal'}
            className="max-md:w-full"
            onClick={onClose}
          >
            {t`Keep payment`}
          </ActionButton>
        </>
      }
    >
      {isError && (
        <Banner tone="danger" live="alert" className="mt-4">
          {t`Failed to cancel payment. Please try again.`}
        </Banner>
      )}
    </Dialog>
  )
}
