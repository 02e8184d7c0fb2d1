import { dayInIndia, type Day } from '#domain/calendar.ts'
import type { ReceivedPayment } from '#domain/loans.ts'
import type { PaymentPurpose } from '#domain/payments.ts'
import type { Sql } from '../../database/connect.ts'
import { receiveMoney } from '../../ledger/receive-money.ts'
import type { OwnLoan } from '../../loans/own-loan.ts'
import { markPosted, type LinkRow, type ProviderPaymentRow } from '../payment-store.ts'

/** How a payment enters the ledger: what it is for, and whether all of it goes back. */
export type Landing = { purpose: PaymentPurpose | null; isHeld: boolean; quotedAheadFor?: Day }

/**
 * Puts one payment into the loan's ledger: what the provider says was captured, on the India date it was paid (decision 24). The
 * caller holds the loan's row lock; the payment's own id makes a second posting impossible.
 */
export async function postPayment(
  sql: Sql,
  own: OwnLoan,
  link: LinkRow,
  payment: ProviderPaymentRow,
  now: Date,
  { purpose, isHeld, quotedAheadFor }: Landing = { purpose: link.purpose, isHeld: false },
): Promise<ReceivedPayment> {
  const received = await receiveMoney(
    sql,
    own,
    {
      source: payment.provider,
      sourceId: payment.provider_payment_id,
      account: 'provider_clearing',
      amountPaise: payment.amount_paise,
      date: dayInIndia(payment.paid_at),
      purpose,
      isHeld,
      ...(quotedAheadFor !== undefined && { quotedAheadFor }),
    },
    now,
    link.created_by,
  )
  await markPosted(sql, payment, received.paymentId)
  return received
}
