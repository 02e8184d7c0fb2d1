import { useLingui } from '@lingui/react/macro'
import { useQueryClient } from '@tanstack/react-query'
import type { Loan } from '#contract/loans.ts'
import { useLoad } from '#web/app/loading/use-load.ts'
import { Money } from '#web/loan/money.tsx'
import { loansKey } from '#web/loan/loan-queries.ts'
import { purposeText } from '#web/loan/purpose-text.ts'
import { Card } from '#web/ui/card.tsx'
import { PayNow } from '../pay/pay-now.tsx'
import { ongoingQuery } from '../payment-queries.ts'
import { useRefreshWhenLinkIsGone } from '../use-payments.ts'
import { PendingBadge } from '../pending/pending-status.tsx'

/** The pending payment in short, on a tab that is not about payments; nothing without one. */
export function PendingNotice({ loan }: { loan: Loan }) {
  const { t, i18n } = useLingui()
  const link = useLoad(ongoingQuery(loan)).data
  const client = useQueryClient()
  // The payment is over: the loan of this page is another one now.
  useRefreshWhenLinkIsGone(link, () => void client.invalidateQueries({ queryKey: loansKey }))
  if (!link) return null
  return (
    <Card labelledBy="pending-notice" className="mb-4 border-caution! md:mb-5">
      <div className="flex flex-col gap-3 md:flex-row md:items-center md:justify-between">
        <div className="min-w-0">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <h2 id="pending-notice">{t`A payment is pending`}</h2>
            <PendingBadge link={link} />
          </div>
          <p className="text-sm text-muted">
            {i18n._(purposeText[link.purpose])}: <Money amount={link.amount} className="font-semibold text-ink" />
          </p>
        </div>
        <PayNow loan={loan} payment={link} label="" />
      </div>
    </Card>
  )
}
