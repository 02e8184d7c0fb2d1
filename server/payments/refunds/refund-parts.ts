import { minimumRefundPaise, refundableDays } from '#domain/refunds.ts'
import { paise, type Paise } from '#domain/money.ts'
import type { Sql } from '../../database/connect.ts'
import type { OwnLoan } from '../../loans/own-loan.ts'
import { sumRefunded } from '../link-money.ts'
import { listLoanPayments, type ProviderPaymentRow } from '../payment-store.ts'
import { listLoanRefunds } from '../refund-store.ts'

export type RefundPart = { payment: ProviderPaymentRow; amountPaise: Paise }

/**
 * Distributes an amount over the payments that the provider can refund: newest first, each up to
 * its unrefunded part, and only payments that count for the loan. `leftPaise` is the rest, which
 * was paid outside the provider or too long ago.
 */
export async function planRefundParts(
  sql: Sql,
  { loan, facts }: OwnLoan,
  amountPaise: Paise,
  now: Date,
): Promise<{ parts: RefundPart[]; leftPaise: Paise }> {
  const payments = await listLoanPayments(sql, loan.borrower_id, loan.loan_id)
  const refunds = await listLoanRefunds(sql, loan.borrower_id, loan.loan_id)
  const counted = new Set(facts.payments.map(({ paymentId }) => paymentId))
  const parts: RefundPart[] = []
  let left: bigint = amountPaise
  for (const payment of payments.toSorted((one, other) => other.paid_at.getTime() - one.paid_at.getTime())) {
    const isOld = now.getTime() - payment.paid_at.getTime() > refundableDays * 86_400_000
    if (isOld || !payment.captured || payment.transaction_id === null || !counted.has(payment.transaction_id)) continue
    const refundedPaise = sumRefunded(refunds.filter((refund) => refund.provider_payment_id === payment.provider_payment_id))
    const part = payment.amount_paise - refundedPaise < left ? payment.amount_paise - refundedPaise : left
    if (part < minimumRefundPaise) continue
    parts.push({ payment, amountPaise: paise(part) })
    left -= part
  }
  return { parts, leftPaise: paise(left) }
}
