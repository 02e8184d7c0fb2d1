import { useLingui } from '@lingui/react/macro'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Loan } from '#contract/loans.ts'
import type { PaymentLink } from '#contract/payments.ts'
import { Loaded } from '#web/app/loading/loaded.tsx'
import { Card, CardHead } from '#web/ui/card.tsx'
import { DataTable } from '#web/ui/data-table.tsx'
import { useFirstRows } from '#web/ui/first-rows.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { usePaymentColumns, usePaymentDetail } from './payment-columns.tsx'

/**
 * Completed payments, newest first. Independent of the rest of the tab: it stays when the rest
 * failed to load.
 */
export function CompletedPayments({ loan, completed }: { loan: Loan; completed: UseQueryResult<PaymentLink[]> }) {
  const { t } = useLingui()
  const card = (content: ReactNode) => (
    <Card labelledBy="completed-payments">
      <CardHead id="completed-payments" title={t`Completed payments`} />
      {content}
    </Card>
  )
  return (
    <Loaded
      query={completed}
      failed={t`Failed to load completed payments`}
      loading={card(<Skeleton className="h-32" />)}
      isEmpty={(links) => links.length === 0}
      empty={card(<p className="border-t border-rule pt-4 text-muted">{t`No data found`}</p>)}
    >
      {(links) => card(<PaymentList loan={loan} links={links} />)}
    </Loaded>
  )
}

function PaymentList({ loan, links }: { loan: Loan; links: readonly PaymentLink[] }) {
  const { t } = useLingui()
  const columns = usePaymentColumns(loan)
  const detail = usePaymentDetail(loan)
  const { shown, showAll } = useFirstRows(links)
  const total = links.length
  return (
    <>
      <DataTable
        label={t`List of completed payments`}
        columns={columns}
        rows={shown}
        rowKey={(link) => link.payment_link_id}
        height="schedule"
        detail={detail}
        empty={t`No data found`}
      />
      {showAll(t`Show all ${total} payments`)}
    </>
  )
}
