import { useLingui } from '@lingui/react/macro'
import type { PaymentRefund } from '#contract/payments.ts'
import { useLanguage } from '#web/i18n/use-language.ts'
import { formatDay, formatMoney, indiaDay } from '#web/ui/format.ts'
import { Icon } from '#web/ui/icon.tsx'

/** Money that goes back to who paid it, in one sentence. */
export function RefundLine({ refund }: { refund: PaymentRefund }) {
  const { t } = useLingui()
  const language = useLanguage()
  const { status, processed_at, bank_reference: reference } = refund
  const amount = formatMoney(refund.amount)
  const day = processed_at === null ? '' : formatDay(indiaDay(processed_at), language)
  const done = reference === null ? t`Refunded ${amount} on ${day}` : t`Refunded ${amount} on ${day}, reference ${reference}`
  const texts: Record<PaymentRefund['status'], string> = {
    asked: t`Refund of ${amount} is on its way`,
    pending: t`Refund of ${amount} is on its way`,
    processed: done,
    failed: t`The refund of ${amount} could not be sent yet; we are looking into it`,
  }
  return (
    <p className="mt-1 flex items-start gap-1.5 text-sm text-muted">
      <Icon name={status === 'processed' ? 'check' : status === 'failed' ? 'alert' : 'clock'} size={16} className="mt-0.5 flex-none" />
      {texts[status]}
    </p>
  )
}
