import { useLingui } from '@lingui/react/macro'
import type { UseQueryResult } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import type { Loan } from '#contract/loans.ts'
import type { PaymentLink, PaymentRefund } from '#contract/payments.ts'
import { Loaded } from '#web/app/loading/loaded.tsx'
import { useLanguage } from '#web/i18n/i18n.ts'
import { DayText } from '#web/loan/days.tsx'
import { Money } from '#web/loan/money.tsx'
import { Badge } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'
import { Card, CardHead } from '#web/ui/card.tsx'
import { useIsNarrow } from '#web/ui/data-table.tsx'
import { formatDay, formatMoney, toIndiaDay } from '#web/ui/format.ts'
import { Icon } from '#web/ui/icon.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { pastPurposeText } from '../purpose-text.ts'
import { PaymentTrail } from './payment-trail.tsx'
import { ReceiptButton } from './receipt-button.tsx'

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

/** How many payments a phone shows before 'Show all'. */
const phonePayments = 3

function PaymentList({ loan, links }: { loan: Loan; links: readonly PaymentLink[] }) {
  const { t } = useLingui()
  const isNarrow = useIsNarrow()
  const [showsAll, setShowsAll] = useState(false)
  const total = links.length
  const shown = isNarrow && !showsAll ? links.slice(0, phonePayments) : links
  return (
    <>
      <div
        role="region"
        aria-label={t`List of completed payments`}
        tabIndex={0}
        className="relative border-t border-rule md:max-h-[400px] md:overflow-auto print:max-h-none print:overflow-visible"
      >
        <ul>
          {shown.map((link) => (
            <CompletedPayment key={link.payment_link_id} loan={loan} link={link} />
          ))}
        </ul>
      </div>
      {shown.length < total && (
        <Button variant="secondary" block className="mt-4" onClick={() => setShowsAll(true)}>
          {t`Show all ${total} payments`}
        </Button>
      )}
    </>
  )
}

function CompletedPayment({ loan, link }: { loan: Loan; link: PaymentLink }) {
  const { t, i18n } = useLingui()
  const language = useLanguage()
  const purpose = i18n._(pastPurposeText[link.purpose])
  const day = toIndiaDay(link.paid_at ?? link.created_at)
  return (
    <li className="border-t border-line py-4 first:border-t-0 last:pb-0">
      <div className="flex flex-wrap items-start gap-x-3 md:items-center">
        <div className="mr-auto min-w-0">
          <Money amount={link.amount} size="sm" />
          <p className="text-sm text-muted">
            {purpose} · <DayText day={day} />
          </p>
        </div>
        {link.status === 'partially_paid' ? <Badge tone="caution">{t`Partly paid`}</Badge> : <Badge tone="positive">{t`Paid`}</Badge>}
        <div className="-mx-3 flex flex-wrap items-center max-md:w-full md:ml-0">
          {link.receipts?.map((number, _index, all) => (
            <ReceiptButton key={number} loan={loan} receiptNumber={number} isNumbered={all.length > 1} />
          ))}
        </div>
      </div>
      {link.refunds?.map((refund, index) => (
        <RefundLine key={index} refund={refund} />
      ))}
      <PaymentTrail loan={loan} link={link} summary={t`What happened`} subject={`${purpose}, ${formatDay(day, language)}`}>
        <p className="mt-2 text-xs break-all text-muted">{link.payment_link_id}</p>
      </PaymentTrail>
    </li>
  )
}

/** A refund in one sentence. */
function RefundLine({ refund }: { refund: PaymentRefund }) {
  const { t } = useLingui()
  const language = useLanguage()
  const { status, processed_at, bank_reference: reference } = refund
  const amount = formatMoney(refund.amount)
  const day = processed_at === null ? '' : formatDay(toIndiaDay(processed_at), language)
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
