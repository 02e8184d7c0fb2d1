import type { readCompletedPayments as call } from '#contract/payments.ts'
import type { UseCase } from '../../http/route.ts'
import { requireBorrower, findOwnLoan } from '../../loans/own-loan.ts'
import { findReceipts } from '../../ledger/receipt-store.ts'
import { paymentLinkOnWire } from '../payment-link-on-wire.ts'
import { listCompletedLinks, listLinkPayments, type LinkRow } from '../payment-store.ts'
import { listLinkRefunds } from '../refund-store.ts'

/** Lists the links whose received money is all posted, newest first (decision 37). */
export const readCompletedPayments: UseCase<typeof call> = async ({ database }, caller, { query }) => {
  const borrowerId = requireBorrower(caller)
  return database.asBorrower(borrowerId, async (sql) => {
    const loan = await findOwnLoan(sql, borrowerId, query.application_id)
    const links = await listCompletedLinks(sql, borrowerId, loan.loan_id)
    const intentIds = links.map((link) => link.payment_intent_id)
    const payments = await listLinkPayments(sql, borrowerId, intentIds)
    const refunds = await listLinkRefunds(sql, borrowerId, intentIds)
    const receipts = await findReceipts(
      sql,
      borrowerId,
      payments.flatMap(({ transaction_id: id }) => (id === null ? [] : [id])),
    )
    const listReceiptNumbers = (link: LinkRow) =>
      payments.flatMap(({ payment_intent_id, transaction_id }) =>
        payment_intent_id === link.payment_intent_id ? (receipts.get(transaction_id ?? '')?.receipt_number ?? []) : [],
      )
    return { payment_links: links.map((link) => ({ ...paymentLinkOnWire(link, payments, refunds), receipts: listReceiptNumbers(link) })) }
  })
}
