import { useLingui } from '@lingui/react/macro'
import { useLanguage } from '#web/i18n/i18n.ts'
import type { PartPaymentPurpose } from '#web/loan/part-payment-entry.ts'
import { TwoBalanceCurves } from '#web/loan/two-balance-curves.tsx'
import { formatMoney, formatMonth } from '#web/ui/format.ts'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { selectOutcome } from './part-payment.ts'
import type { PartPaymentPreview } from './use-part-payment-preview.ts'

type PartPaymentCurvesProps = { preview: PartPaymentPreview | null; purpose: PartPaymentPurpose }

/**
 * The balance with and without the part payment. Names the amount, because another one may be typed
 * already.
 */
export function PartPaymentCurves({ preview, purpose }: PartPaymentCurvesProps) {
  const { t } = useLingui()
  const language = useLanguage()
  if (preview === null) return <Skeleton className="h-64" />
  const { unchanged } = preview
  const after = selectOutcome(preview, purpose)
  const [amount, saved] = [formatMoney(preview.amount), formatMoney(after.interest_saved)]
  const [end, endWithout] = [after, unchanged].map(({ last_due_date: day }) => (day ? formatMonth(day, language) : ''))
  return (
    <TwoBalanceCurves
      title={t`Your balance with and without it`}
      detail={t`For a part payment of ${amount}`}
      label={t`With a part payment of ${amount} the loan ends in ${end}; without it, in ${endWithout}. Interest saved: ${saved}.`}
      unchanged={{ name: t`Without it`, balances: unchanged.balances }}
      changed={{ name: t`With the part payment`, balances: after.balances }}
    />
  )
}
