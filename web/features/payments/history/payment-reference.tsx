import { useLingui } from '@lingui/react/macro'
import type { PaymentLink } from '#contract/payments.ts'
import { CopyButton } from '#web/ui/copy-button.tsx'

/** The provider's id of a payment link, which support asks for, with its label. */
export function PaymentReference({ link }: { link: PaymentLink }) {
  const { t } = useLingui()
  return (
    <div className="mt-1 text-xs text-muted">
      {t`Payment reference`}
      <p className="flex items-center gap-1">
        <span className="break-all text-ink">{link.payment_link_id}</span>
        <CopyButton text={link.payment_link_id} of={t`Payment reference`} />
      </p>
    </div>
  )
}
