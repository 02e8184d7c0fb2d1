import { useLingui } from '@lingui/react/macro'
import { Money } from '#web/loan/money.tsx'
import { usePermission } from '#web/session/permissions.ts'
import { ActionButton } from '#web/ui/action-button.tsx'
import { getCallState } from '#web/ui/action-state.ts'
import { cx } from '#web/ui/class-names.ts'
import { Icon } from '#web/ui/icon.tsx'
import { usePermissionReason } from '#web/ui/permission-reason.tsx'
import { optionText } from '../option-text.ts'
import type { Payments } from '../use-payments.ts'
import { CreateFailure } from './create-failure.tsx'
import { isAboveLink, isBelowLinkMinimum, isPayable, type PaymentOption } from './payment-options.ts'

type PayBarProps = {
  selected: PaymentOption | null
  /** A pending payment or debit: the card says so above its options. */
  isBlocked: boolean
  payments: Payments
  onPress: () => void
}

/**
 * The payment button with the amount: at the end of the card, on phones fixed at the bottom of the
 * screen.
 */
export function PayBar({ selected, isBlocked, payments, onPress }: PayBarProps) {
  const { t, i18n } = useLingui()
  const permission = usePermission('payment_link:create')
  const { create, canCreate, status } = payments
  // While something is pending, the failure is shown with it.
  const error = isBlocked ? null : create.error
  const canPay = selected !== null && isPayable(selected)
  let reason: string | null = null
  if (isBlocked) reason = t`Another payment is in progress`
  else if (selected === null) reason = t`Nothing to pay now`
  else if (isAboveLink(selected)) reason = t`Pay this amount by NEFT or RTGS`
  else if (!canPay && selected.kind !== 'part_payment' && isBelowLinkMinimum(selected.amount))
    reason = t`Less than ₹1 is too little for a payment link`
  else if (!canPay) reason = t`Choose what to pay`
  // The countdown dialog covers the button; it keeps its look.
  else if (!canCreate && !create.isPending && status !== 'PAYMENT_REDIRECT_COUNTDOWN') reason = t`Checking for pending payments`
  const permissionReason = usePermissionReason(permission)
  const shownReason = permissionReason ?? (isBlocked ? null : reason)
  return (
    <div className={cx('mt-4 border-t border-line pt-4 print:hidden', selected && fixedOnPhone)}>
      {(error !== null || shownReason !== null) && (
        <div className="mb-2.5 md:mb-4">
          {error ? (
            <CreateFailure error={error} />
          ) : (
            <p className="flex items-start gap-1.5 text-xs text-muted">
              <Icon name="info" size={16} className="mt-0.5 flex-none" />
              {shownReason}
            </p>
          )}
        </div>
      )}
      <div className="flex items-center justify-between gap-4">
        <div className="min-w-0">
          <p className="text-xs text-muted">{selected ? i18n._(optionText[selected.kind]) : t`Nothing selected`}</p>
          {selected && (
            <p>
              {selected.kind === 'part_payment' ? (
                <span className="font-semibold">{t`You choose`}</span>
              ) : (
                <Money amount={selected.amount} size="sm" />
              )}
            </p>
          )}
        </div>
        <ActionButton
          permission={permission}
          disabledReason={reason}
          showReason={false}
          state={getCallState(create)}
          iconAfter="arrowRight"
          onClick={onPress}
        >
          {t`Make payment`}
        </ActionButton>
      </div>
    </div>
  )
}

const fixedOnPhone =
  'bottom-bar max-md:fixed max-md:inset-x-0 max-md:bottom-0 max-md:z-15 max-md:mt-0 max-md:bg-raised max-md:px-4 max-md:pt-2.5 max-md:pb-[calc(0.625rem+env(safe-area-inset-bottom))] max-md:shadow-2'
