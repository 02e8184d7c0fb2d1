import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { ApiError } from '#web/api/api-error.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { Money } from '#web/loan/money.tsx'
import { usePermission } from '#web/session/permissions.ts'
import { ActionButton } from '#web/ui/action-button.tsx'
import { getCallState } from '#web/ui/action-state.ts'
import { Banner } from '#web/ui/banner.tsx'
import { cx } from '#web/ui/class-names.ts'
import { formatInstant } from '#web/ui/format.ts'
import { Icon } from '#web/ui/icon.tsx'
import { optionText } from '../option-text.ts'
import { NoRedirectUrlError } from '../payments-controller.ts'
import type { Payments } from '../use-payments.ts'
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
  const shownReason = permission === 'denied' ? t`Action not allowed` : isBlocked ? null : reason
  return (
    <BottomBar
      fixed={selected !== null}
      message={(error !== null || shownReason !== null) && <Message error={error} reason={shownReason} />}
    >
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
    </BottomBar>
  )
}

function Message({ error, reason }: { error: unknown; reason: string | null }) {
  if (error) return <CreateFailure error={error} />
  if (reason === null) return null
  return (
    <p className="flex items-start gap-1.5 text-xs text-muted">
      <Icon name="info" size={16} className="mt-0.5 flex-none" />
      {reason}
    </p>
  )
}

/**
 * A successful response without a usable URL has its own message (spec §8). What only waits for
 * another payment is no failure; a time to wait means an attempt that is not known at the provider
 * and shown nowhere.
 */
export function CreateFailure({ error }: { error: unknown }) {
  const { t } = useLingui()
  const language = useLanguage()
  if (error instanceof ApiError && error.code === 'AutopayInProgress') {
    const by = error.problem?.expected_by
    const moment = by === undefined ? null : formatInstant(new Date(by), language)
    return (
      <Banner tone="info" icon="clock" live="alert">
        {moment === null
          ? t`Your EMI is being debited by autopay, so nothing else can be paid now.`
          : t`Your EMI is being debited by autopay, so nothing else can be paid until ${moment}.`}
      </Banner>
    )
  }
  if (error instanceof ApiError && error.code === 'PaymentAlreadyPending') {
    return (
      <Banner tone="info" icon="clock" live="alert">
        {error.retryAfterSeconds === null
          ? t`Another payment of this loan is pending. Finish or cancel it first.`
          : t`Your last attempt is still being checked. Try again in two minutes, or make the same payment again.`}
      </Banner>
    )
  }
  const noAddress = error instanceof NoRedirectUrlError || (error instanceof ApiError && error.status !== null && error.status < 300)
  return (
    <Banner tone="danger" live="alert">
      {noAddress ? t`Failed to create payment link. Please try again.` : t`Failed to create payment. Please try again.`}
    </Banner>
  )
}

const fixedOnPhone =
  'bottom-bar max-md:fixed max-md:inset-x-0 max-md:bottom-0 max-md:z-15 max-md:mt-0 max-md:bg-raised max-md:px-4 max-md:pt-2.5 max-md:pb-[calc(0.625rem+env(safe-area-inset-bottom))] max-md:shadow-2'

/**
 * The bar of a card's main action: at its end, on phones fixed at the bottom of the screen.
 * `message` is the reason why the action is not possible, or its failure, near the button. `fixed`
 * is false if the action is not possible.
 */
function BottomBar({ fixed = true, message, children }: { fixed?: boolean; message?: ReactNode; children: ReactNode }) {
  return (
    <div className={cx('mt-4 border-t border-line pt-4 print:hidden', fixed && fixedOnPhone)}>
      {message && <div className="mb-2.5 md:mb-4">{message}</div>}
      <div className="flex items-center justify-between gap-4">{children}</div>
    </div>
  )
}
