import type { PaymentLink, readCompletedPayments as call } from '#contract/payments.ts'
import { paise, smallerPaise } from '#domain/money.ts'
import { defineReading } from '../../http/reading.ts'
import { loansOfBorrower } from '../../loans/loan-store.ts'
import { selectOwnLoan } from '../../loans/own-loan.ts'
import { findReturnStatus, sumAmounts, sumHeld } from '../link-money.ts'
import { completedLinks, paymentsOfCompletedLinks, refundsOfBorrower } from '../links/link-reads-store.ts'
import { paymentLinkOnWire } from '../payment-link-on-wire.ts'
import type { LinkRow } from '../../ledger/open-links-store.ts'
import type { ProviderPaymentRow } from '../provider-payment-store.ts'
import type { RefundRow } from '../refund-store.ts'

/**
 * Lists the links that received money and no longer block a payment, newest first (decision 37).
 */
export const readCompletedPayments = defineReading<typeof call>()(
  (borrowerId) => [
    loansOfBorrower.with({ borrowerId }),
    completedLinks.with({ borrowerId }),
    paymentsOfCompletedLinks.with({ borrowerId }),
    refundsOfBorrower.with({ borrowerId }),
  ],
  (_context, _caller, { query }, [loans, links, payments, refunds]) => {
    const { loan_id: loanId } = selectOwnLoan(loans, query.application_id)
    const completedOnWire = (link: LinkRow): PaymentLink => {
      const isOwn = ({ payment_intent_id }: { payment_intent_id: string }) => payment_intent_id === link.payment_intent_id
      const own = payments.filter(isOwn)
      return {
        ...paymentLinkOnWire(link, payments, refunds),
        receipts: own.flatMap(({ receipt_number }) => receipt_number ?? []),
        ...describeReturn(link, own, refunds.filter(isOwn)),
      }
    }
    return { payment_links: links.filter(({ loan_id }) => loan_id === loanId).map(completedOnWire) }
  },
)

type CompletedPayment = ProviderPaymentRow & { reversal_id: string | null }

/** How much of a link's amount still counts, and the refund, if money of its payments went back. */
function describeReturn(
  link: LinkRow,
  payments: readonly CompletedPayment[],
  refunds: readonly RefundRow[],
): Pick<PaymentLink, 'counted' | 'refund_status'> {
  const notReversed = payments.filter(({ reversal_id }) => reversal_id === null)
  const ids = new Set(notReversed.map(({ provider_payment_id }) => provider_payment_id))
  const held = sumHeld(refunds.filter(({ provider_payment_id }) => ids.has(provider_payment_id)))
  const counted = paise(sumAmounts(notReversed) - held)
  // The provider can report an amount before it lists its payments.
  const expected = smallerPaise(sumAmounts(payments), link.amount_paise)
  const refundStatus = findReturnStatus(payments, refunds)
  return {
    ...(counted < expected && { counted }),
    ...(refundStatus !== null && { refund_status: refundStatus }),
  }
}
