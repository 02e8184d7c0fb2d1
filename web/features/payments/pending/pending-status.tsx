import { useLingui } from '@lingui/react/macro'
import type { OngoingPayment } from '#contract/payments.ts'
import { Badge } from '#web/ui/badge.tsx'
import { isBeingApplied } from '../payments-controller.ts'

export function PendingBadge({ link }: { link: OngoingPayment }) {
  const { t } = useLingui()
  return isBeingApplied(link) ? <Badge tone="info">{t`Being applied`}</Badge> : <Badge tone="caution">{t`Waiting for payment`}</Badge>
}

/** Why the borrower must not pay again. */
export function PendingAdvice({ link }: { link: OngoingPayment }) {
  const { t } = useLingui()
  return isBeingApplied(link)
    ? t`Your money has reached us and is being applied to the loan. Do not pay again. This page updates on its own.`
    : t`If money has already left your account, do not pay again. This page updates on its own.`
}
