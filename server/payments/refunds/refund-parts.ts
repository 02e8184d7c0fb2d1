import { minRefundPaise, refundableDays } from '#domain/refunds.ts'
import { paise, zeroPaise, type Paise } from '#domain/money.ts'
import type { Sql } from '../../database/connect.ts'
import type { OwnLoan } from '../../loans/own-loan.ts'
import { paymentsOfLoan, type ProviderPaymentRow } from '../payment-store.ts'
import { refundsOfLoan } from '../refund-store.ts'

export type RefundPart = { payment: ProviderPaymentRow; amountPaise: Paise }

/**
 * Which payments carry an amount back through the provider: the newest first, each no more than is left of it, and only those that still
 * count for the loan. `leftPaise` is what no payment can carry: it came another way, or longer ago than the provider takes back.
 */
export async function refundPartsOf(
  sql: Sql,
  { loan, facts }: OwnLoan,
  amountPaise: Paise,
  now: Date,
): Promise<{ parts: RefundPart[]; leftPaise: Paise }> {
  const payments = await paymentsOfLoan(sql, loan.borrower_id, loan.loan_id)
  const refunds = await refundsOfLoan(sql, loan.borrower_id, loan.loan_id)
  const counted = new Set(facts.payments.map(({ paymentId }) => paymentId))
  const parts: RefundPart[] = []
  let left: bigint = amountPaise
  for (const payment of payments.toSorted((one, other) => other.paid_at.getTime() - one.paid_at.getTime())) {
    const isOld = now.getTime() - payment.paid_at.getTime() > refundableDays * 86_400_000
    if (isOld || !payment.captured || payment.transaction_id === null || !counted.has(payment.transaction_id)) continue
    const gone = refunds
      .filter((refund) => refund.provider_payment_id === payment.provider_payment_id)
      .reduce<bigint>((sum, refund) => sum + refund.amount_paise, zeroPaise)
    const part = payment.amount_paise - gone < left ? payment.amount_paise - gone : left
    if (part < minRefundPaise) continue
    parts.push({ payment, amountPaise: paise(part) })
    left -= part
  }
  return { parts, leftPaise: paise(left) }
}
