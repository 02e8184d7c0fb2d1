import { queryOptions } from '@tanstack/react-query'
import type { Loan } from '#contract/loans.ts'
import { readCompletedPayments, readOngoingPayment, readPaymentTrail, type PaymentLink } from '#contract/payments.ts'
import { call } from '#web/api/call.ts'
import { loansKey } from '#web/loan/loan-queries.ts'
import { isInUse } from '#web/session/activity.ts'

/** An open link is polled while the page is used: the borrower may pay on another device. */
const pendingRefreshMs = 10_000

export const ongoingQuery = (loan: Loan) =>
  queryOptions({
    queryKey: [...loansKey, loan.lan, 'ongoing'],
    queryFn: async ({ signal }) => (await call(readOngoingPayment, { query: { application_id: loan.lan } }, { signal })).payment_link,
    refetchInterval: ({ state }) => (state.data && isInUse() ? pendingRefreshMs : false),
  })

export const completedQuery = (loan: Loan) =>
  queryOptions({
    queryKey: [...loansKey, loan.lan, 'completed'],
    queryFn: async ({ signal }) => (await call(readCompletedPayments, { query: { application_id: loan.lan } }, { signal })).payment_links,
  })

/** Requested again as soon as the link's state changes. */
export const trailQuery = (loan: Loan, { payment_link_id, status, rps_updated, refunds }: PaymentLink) =>
  queryOptions({
    queryKey: [...loansKey, loan.lan, 'trail', payment_link_id, status, rps_updated, refunds?.map((refund) => refund.status).join()],
    queryFn: ({ signal }) => call(readPaymentTrail, { params: { payment_link_id } }, { signal }),
  })

/** The trail of a link whose loan only the answer names: on the waiting page, after a notice. */
export const trailByLinkQuery = (paymentLinkId: string) =>
  queryOptions({
    queryKey: [...loansKey, 'trail', paymentLinkId],
    queryFn: ({ signal }) => call(readPaymentTrail, { params: { payment_link_id: paymentLinkId } }, { signal }),
  })
