import { useLingui } from '@lingui/react/macro'
import type { Loan } from '#contract/loans.ts'
import type { PaymentLink, PaymentRefund } from '#contract/payments.ts'
import { dayInIndia } from '#domain/calendar.ts'
import { zeroPaise } from '#domain/money.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { DayText } from '#web/loan/days.tsx'
import { Money } from '#web/loan/money.tsx'
import { pastPurposeText } from '#web/loan/purpose-text.ts'
import { ReturnedBadge } from '#web/loan/status-badges.tsx'
import { Badge } from '#web/ui/badge.tsx'
import type { Column, RowDetail } from '#web/ui/data-table.tsx'
import { formatDay, formatMoney } from '#web/ui/format.ts'
import { Icon } from '#web/ui/icon.tsx'
import { getPaidDay } from '../paid-day.ts'
import { Reference } from '#web/ui/reference.tsx'
import { PaymentTrail } from './payment-trail.tsx'
import { ReceiptButton } from './receipt-button.tsx'

/** On phones date and state over amount and purpose. */
export function usePaymentColumns(loan: Loan): Column<PaymentLink>[] {
  const { t, i18n } = useLingui()
  return [
    { key: 'day', header: t`Date`, phone: 'title', cell: (link) => <DayText day={getPaidDay(link)} /> },
    {
      key: 'purpose',
      header: t`Purpose`,
      phone: 'note',
      cell: (link) => (
        <>
          {i18n._(pastPurposeText[link.purpose])}
          <span className="max-md:hidden">
            <Refunds link={link} />
          </span>
        </>
      ),
    },
    { key: 'amount', header: t`Amount`, align: 'end', strong: true, phone: 'figure', cell: (link) => <Money amount={link.amount} /> },
    { key: 'status', header: t`Status`, phone: 'aside', cell: (link) => <PaymentBadge link={link} /> },
    {
      key: 'receipt',
      header: t`Receipt`,
      phone: 'hidden',
      cell: (link) => <Receipts loan={loan} link={link} />,
    },
  ]
}

/** What happened to a payment, opened under its row; on phones with refunds and receipts. */
export function usePaymentDetail(loan: Loan): RowDetail<PaymentLink> {
  const { t, i18n } = useLingui()
  const language = useLanguage()
  const summary = t`What happened`
  const rowName = (link: PaymentLink) => `${i18n._(pastPurposeText[link.purpose])}, ${formatDay(getPaidDay(link), language)}`
  return {
    summary,
    isNamed: true,
    rowName,
    content: (link) => (
      <>
        <div className="mb-2 md:hidden">
          <Refunds link={link} />
          <Receipts loan={loan} link={link} />
        </div>
        <PaymentTrail loan={loan} link={link} label={`${summary} ${rowName(link)}`} />
        <Reference label={t`Payment reference`} text={link.payment_link_id} />
      </>
    ),
  }
}

/**
 * On phones the only word about money that went back, until the row is opened. Our links take no
 * part payments, so two receipts are two payments of the whole amount.
 */
function PaymentBadge({ link }: { link: PaymentLink }) {
  const { t } = useLingui()
  const times = link.receipts?.length ?? 0
  if (link.counted === zeroPaise) return <ReturnedBadge refundStatus={link.refund_status} />
  if (link.counted !== undefined) return <Badge tone="caution">{t`Partly returned`}</Badge>
  if (times > 1) return <Badge tone="caution">{times === 2 ? t`Paid twice` : t`Paid ${times} times`}</Badge>
  return <Badge tone="positive">{t`Paid`}</Badge>
}

function Receipts({ loan, link }: { loan: Loan; link: PaymentLink }) {
  return (
    <div className="-mx-3 flex flex-wrap items-center md:-my-2">
      {link.receipts?.map((number, _index, all) => (
        <ReceiptButton key={number} loan={loan} receiptNumber={number} isNumbered={all.length > 1} />
      ))}
    </div>
  )
}

function Refunds({ link }: { link: PaymentLink }) {
  return link.refunds?.map((refund, index) => <RefundLine key={index} refund={refund} />)
}

/** A refund in one sentence. */
function RefundLine({ refund }: { refund: PaymentRefund }) {
  const { t } = useLingui()
  const language = useLanguage()
  const { status, processed_at, bank_reference: reference } = refund
  const amount = formatMoney(refund.amount)
  const day = processed_at === null ? '' : formatDay(dayInIndia(processed_at), language)
  const sent = reference === null ? t`Refunded ${amount} on ${day}` : t`Refunded ${amount} on ${day}, reference ${reference}`
  const texts: Record<PaymentRefund['status'], string> = {
    asked: t`Refund of ${amount} is on its way`,
    pending: t`Refund of ${amount} is on its way`,
    processed: refund.taken_by_bank ? t`The bank took back ${amount} on ${day}` : sent,
    failed: t`The refund of ${amount} could not be sent yet; we are looking into it`,
  }
  return (
    <p className="mt-1 flex items-start gap-1.5 text-sm text-muted">
      <Icon name={status === 'processed' ? 'check' : status === 'failed' ? 'alert' : 'clock'} size={16} className="mt-0.5 flex-none" />
      {texts[status]}
    </p>
  )
}
