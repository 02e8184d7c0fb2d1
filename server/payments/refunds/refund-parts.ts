import { dayInIndia } from '#domain/calendar.ts'
import { dayMs } from '#domain/durations.ts'
import { loanStateToPost } from '#domain/loan-state.ts'
import { minimumRefundPaise, refundableDays } from '#domain/refunds.ts'
import { paise, smallerPaise, sumPaise, zeroPaise, type Paise } from '#domain/money.ts'
import type { Sql } from '../../database/connect.ts'
import type { OwnLoan } from '../../loans/own-loan.ts'
import { sumAmounts, sumRefunded } from '../link-money.ts'
import { listLoanPayments, type ProviderPaymentRow } from '../provider-payment-store.ts'
import { listLoanRefunds, type RefundRow } from '../refund-store.ts'
import { isMoneyGone } from './taken-back.ts'

export type RefundPart = { payment: ProviderPaymentRow; amountPaise: Paise }
type RefundPlan = { parts: RefundPart[]; leftPaise: Paise; isMoneyGone: boolean }

/**
 * Distributes an amount of a loan's credit over the payments that the provider can refund, newest
 * first: each up to the credit that it brought and to its unrefunded part. `leftPaise` is the rest,
 * which was paid outside the provider or too long ago, and goes back by bank transfer (decision
 * 55). Nothing is refunded while the bank has taken money of the loan that still counts.
 */
export async function planRefundParts(sql: Sql, own: OwnLoan, amountPaise: Paise, now: Date): Promise<RefundPlan> {
  const { loan } = own
  if (await isMoneyGone(sql, own)) return { parts: [], leftPaise: amountPaise, isMoneyGone: true }
  const payments = await listLoanPayments(sql, loan.borrower_id, loan.loan_id)
  const refunds = await listLoanRefunds(sql, loan.borrower_id, loan.loan_id)
  const credit = attributeCredit(own, payments, refunds, now)
  const parts: RefundPart[] = []
  let [left, general] = [amountPaise, credit.generalPaise]
  for (const payment of payments.toSorted((one, other) => other.paid_at.getTime() - one.paid_at.getTime())) {
    const share = credit.shares.get(payment.transaction_id)
    const isOld = now.getTime() - payment.paid_at.getTime() > refundableDays * dayMs
    if (isOld || !payment.captured || share === undefined) continue
    const unrefunded = paise(payment.amount_paise - sumRefunded(selectRefundsOf(payment, refunds)))
    const part = smallerPaise(left, smallerPaise(unrefunded, paise(share + general)))
    if (part < minimumRefundPaise) continue
    parts.push({ payment, amountPaise: part })
    left = paise(left - part)
    if (part > share) general = paise(general - (part - share))
  }
  return { parts, leftPaise: left, isMoneyGone: false }
}

const selectRefundsOf = ({ provider_payment_id: id }: ProviderPaymentRow, refunds: readonly RefundRow[]): RefundRow[] =>
  refunds.filter(({ provider_payment_id }) => provider_payment_id === id)

/**
 * The credit that is left of each counted payment, by its ledger transaction: the oldest is used
 * first. What the lender's bank returned was of payments that did not come through the provider, as
 * far as there are any. `generalPaise` came of no payment: a charge or interest was given back.
 */
function attributeCredit(
  { facts }: OwnLoan,
  payments: readonly ProviderPaymentRow[],
  refunds: readonly RefundRow[],
  now: Date,
): { shares: ReadonlyMap<string | null, Paise>; generalPaise: Paise } {
  const { allocations, creditPaise } = loanStateToPost(facts, dayInIndia(now))
  const ofCredit = refunds.filter(({ reason }) => reason === 'excess')
  let byBank = paise(sumPaise(facts.refunds.map(({ amountPaise }) => amountPaise)) - sumAmounts(ofCredit))
  let left = creditPaise
  const shares = new Map<string | null, Paise>()
  for (const { paymentId, lines } of allocations.toReversed()) {
    const brought = sumPaise(
      lines.map(({ component, amountPaise }) => (component === 'excess' && amountPaise > 0n ? amountPaise : zeroPaise)),
    )
    const payment = payments.find(({ transaction_id }) => transaction_id === paymentId)
    const returned = payment ? sumRefunded(selectRefundsOf(payment, ofCredit)) : smallerPaise(byBank, brought)
    if (!payment) byBank = paise(byBank - returned)
    const share = brought > returned ? smallerPaise(left, paise(brought - returned)) : zeroPaise
    shares.set(paymentId, share)
    left = paise(left - share)
  }
  return { shares, generalPaise: left }
}
