import type { readCompletedPayments as call } from '#contract/payments.ts'
import { defineReading } from '../../http/reading.ts'
import { loansOfBorrower } from '../../loans/loan-store.ts'
import { selectOwnLoan } from '../../loans/own-loan.ts'
import { completedLinks, paymentsOfCompletedLinks, refundsOfBorrower } from '../links/link-reads-store.ts'
import { paymentLinkOnWire } from '../payment-link-on-wire.ts'

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
    const listReceiptNumbers = (intentId: string) =>
      payments.flatMap((payment) => (payment.payment_intent_id === intentId ? (payment.receipt_number ?? []) : []))
    return {
      payment_links: links
        .filter(({ loan_id }) => loan_id === loanId)
        .map((link) => ({ ...paymentLinkOnWire(link, payments, refunds), receipts: listReceiptNumbers(link.payment_intent_id) })),
    }
  },
)
