import type { readCompletedPayments as call } from '#contract/payments.ts'
import type { UseCase } from '../http/route.ts'
import { borrowerOf, findOwnLoan } from '../loans/own-loan.ts'
import { paymentLinkOnWire } from './payment-link-on-wire.ts'
import { completedLinksOf, providerPaymentsOf } from './payment-store.ts'
import { refundsOfLinks } from './refund-store.ts'

/** Links that received money which is all in the ledger, newest first (decision 37). */
export const readCompletedPayments: UseCase<typeof call> = async ({ database }, caller, { query }) => {
  const borrowerId = borrowerOf(caller)
  return database.asBorrower(borrowerId, async (sql) => {
    const loan = await findOwnLoan(sql, borrowerId, query.application_id)
    const links = await completedLinksOf(sql, borrowerId, loan.loan_id)
    const intentIds = links.map((link) => link.payment_intent_id)
    const payments = await providerPaymentsOf(sql, borrowerId, intentIds)
    const refunds = await refundsOfLinks(sql, borrowerId, intentIds)
    return { payment_links: links.map((link) => paymentLinkOnWire(link, payments, refunds)) }
  })
}
