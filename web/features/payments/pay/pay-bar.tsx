import { useLingui } from '@lingui/react/macro'
import { usePermission } from '#web/session/permissions.ts'
import { ActionButton } from '#web/ui/action-button.tsx'
import { BottomBar } from '#web/ui/bottom-bar.tsx'
import { Icon } from '#web/ui/icon.tsx'
import { Money } from '#web/loan/money.tsx'
import { CreateFailure } from './create-failure.tsx'
import { isPayable, type PaymentOption } from './payment-options.ts'
import { optionText } from '../purpose-text.ts'
import type { Payments } from '../use-payments.ts'

type PayBarProps = { selected: PaymentOption | null; payments: Payments; onPress: () => void }

/** The button, with the amount beside it: at the foot of the leaf, on the phone always at the bottom of the screen. */
export function PayBar({ selected, payments, onPress }: PayBarProps) {
  const { t, i18n } = useLingui()
  const permission = usePermission('payment_link:create')
  const { create, canCreate, status } = payments
  const offered = selected !== null && isPayable(selected)
  let reason: string | null = null
  if (selected === null) reason = t`Nothing is to be paid now`
  else if (!offered && selected.kind === 'foreclosure') reason = t`Pay this amount by NEFT or RTGS`
  else if (!offered) reason = t`Choose what to pay`
  // Under the countdown the button is out of reach and keeps its look.
  else if (!canCreate && !create.isPending && status !== 'PAYMENT_REDIRECT_COUNTDOWN') reason = t`Checking for pending payments`
  const told = permission === 'denied' ? t`Action not allowed` : reason
  return (
    <BottomBar fixed={selected !== null} message={(create.isError || told !== null) && <Message error={create.error} reason={told} />}>
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
        state={create.isPending ? 'loading' : create.isError ? 'error' : 'normal'}
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
