import type { readOngoingPayment as call } from '#contract/payments.ts'
import { defineReading } from '../../http/reading.ts'
import { loansOfBorrower } from '../../loans/loan-store.ts'
import { selectOwnLoan } from '../../loans/own-loan.ts'
import { paymentsOfOpenLinks, openLinks } from '../links/link-reads-store.ts'
import { paymentLinkOnWire } from '../payment-link-on-wire.ts'
import { quoteOnWire } from '../quote.ts'

/** Reads the open link of a loan. An unconfirmed link is not shown (decisions 37, 38). */
export const readOngoingPayment = defineReading<typeof call>()(
  (borrowerId) => [loansOfBorrower.with({ borrowerId }), openLinks.with({ borrowerId }), paymentsOfOpenLinks.with({ borrowerId })],
  (_context, _caller, { query }, [loans, links, payments]) => {
    const { loan_id: loanId } = selectOwnLoan(loans, query.application_id)
    const link = links.find(({ loan_id }) => loan_id === loanId)
    if (!link || link.status === 'creating') return { payment_link: null }
    return { payment_link: { ...paymentLinkOnWire(link, payments), quote: quoteOnWire(link) } }
  },
)
