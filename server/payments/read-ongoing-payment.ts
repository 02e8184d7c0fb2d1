import type { readOngoingPayment as call } from '#contract/payments.ts'
import type { UseCase } from '../http/route.ts'
import { borrowerOf, findOwnLoan } from '../loans/own-loan.ts'
import { paymentLinkOnWire } from './payment-link-on-wire.ts'
import { providerPaymentsOf, standingLinkOf } from './payment-store.ts'
import { quoteOnWire } from './quote.ts'

/** The one link that stands in the way of a new payment; one whose creation is not known yet is not shown (decisions 37, 38). */
export const readOngoingPayment: UseCase<typeof call> = async ({ database }, caller, { query }) => {
  const borrowerId = borrowerOf(caller)
  return database.asBorrower(borrowerId, async (sql) => {
    const loan = await findOwnLoan(sql, borrowerId, query.application_id)
    const link = await standingLinkOf(sql, borrowerId, loan.loan_id)
    if (!link || link.status === 'creating') return { payment_link: null }
    const payments = await providerPaymentsOf(sql, borrowerId, [link.payment_intent_id])
    return { payment_link: { ...paymentLinkOnWire(link, payments), quote: quoteOnWire(link) } }
  })
}
