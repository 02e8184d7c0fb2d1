import { dayInIndia } from '#domain/calendar.ts'
import { addNotice } from '../../add-notice.ts'
import type { Sql } from '../../database/connect.ts'
import type { LoanRow } from '../../loans/loan-store.ts'
import { findPaymentLinkId, keyOf } from '../links/link-store.ts'
import type { RefundRow } from '../refund-store.ts'

type ToldRefund = Pick<RefundRow, 'borrower_id' | 'payment_intent_id' | 'refund_id' | 'amount_paise' | 'bank_reference'>

/** How a notice names its refund. One that fails, is tried again and fails again has one. */
const abouts = { refund_asked: 'refund', refund_processed: 'refunded', refund_failed: 'refund_failed' } as const

/** Tells the borrower of a refund. */
export async function addRefundNotice(
  sql: Sql,
  { lan }: Pick<LoanRow, 'lan'>,
  refund: ToldRefund,
  kind: keyof typeof abouts,
  now: Date,
): Promise<void> {
  await addNotice(
    sql,
    {
      borrowerId: refund.borrower_id,
      about: `${abouts[kind]}:${refund.refund_id}`,
      kind,
      lan,
      amountPaise: refund.amount_paise,
      date: dayInIndia(now),
      paymentLinkId: await findPaymentLinkId(sql, keyOf(refund)),
      ...(refund.bank_reference !== null && { subject: refund.bank_reference }),
    },
    now,
  )
}
