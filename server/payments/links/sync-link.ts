import { dayInIndia } from '#domain/calendar.ts'
import { advanceLink, isClosedLink } from '#domain/payment-links.ts'
import type { LinkSnapshot, TakenPayment } from '../../adapters/payment-gateway/payment-gateway.ts'
import type { MoneyContext } from '../../context.ts'
import type { Sql } from '../../database/connect.ts'
import { capturedOf, isAllApplied } from '../link-money.ts'
import {
  addHistory,
  addProviderPayment,
  changeLink,
  lockLink,
  providerPaymentsOf,
  type HistorySource,
  type LinkKey,
  type LinkRow,
  type ProviderPaymentRow,
} from '../payment-store.ts'
import { postReceivedMoney, type PostedLink } from '../posting/post-received-money.ts'
import { refundsOfLinks } from '../refund-store.ts'
import { syncRefunds } from '../refunds/sync-refunds.ts'
import { addReview, type ReviewKind } from '../review-store.ts'

/** The cause of a look at the provider, for the link's history. */
export type Report = { source: HistorySource; actorId: string }

/** The wait before the next check of a link with captured money that is not in the ledger yet. */
const unpostedRetryMs = 2_000

/**
 * Syncs a link with the provider's view and posts its payments: the one function behind webhooks, status polls, the sweeper,
 * cancelling and reconciliation. Repeated, reordered and parallel calls have the effect of one call.
 *
 * The provider's view is stored in its own transaction before the posting: if the posting fails, the borrower still sees that the
 * money arrived, and the sweeper tries again.
 */
export async function syncLinkFromProvider(context: MoneyContext, key: LinkKey, snapshot: LinkSnapshot, report: Report): Promise<LinkRow> {
  let synced = await storeSnapshot(context, key, snapshot, report)
  if (synced.payments.some(({ transaction_id }) => transaction_id === null)) {
    await context.failPoint('capture_stored')
    synced = await postReceivedMoney(context, synced.link)
    await context.failPoint('posting_committed')
  }
  await syncUnknownRefunds(context, synced)
  return synced.link
}

/** Stores the provider's view of a link and moves our status forward. A mismatch is reviewed and changes nothing. */
function storeSnapshot({ database, clock, log }: MoneyContext, key: LinkKey, snapshot: LinkSnapshot, report: Report): Promise<PostedLink> {
  return database.asBorrower(key.borrowerId, async (sql) => {
    const link = await lockLink(sql, key)
    // Read under the lock, so that the times of the history ascend.
    const now = clock.now()
    const mismatch = mismatchOf(link, snapshot)
    if (mismatch) {
      log.error({ reference: link.reference, mismatch }, 'payment link at provider differs from the one requested')
      await reviewMismatch(sql, link, mismatch, snapshot, now)
      return { link, payments: [] }
    }
    for (const payment of snapshot.payments)
      if (payment.currency === 'INR') await addProviderPayment(sql, link, payment, now)
      else await reviewCurrency(sql, link, payment, now)
    const payments = await providerPaymentsOf(sql, key.borrowerId, [key.paymentIntentId])
    if (snapshot.status === null) log.warn({ reference: link.reference }, 'unknown payment link status from provider')
    const status = snapshot.status === null ? link.status : advanceLink(link.status, snapshot.status)
    const hasUnposted = payments.some(({ transaction_id }) => transaction_id === null)
    // The loan may have its next link by now: an additional payment is posted, but this link does not block the loan again.
    const wasApplied = link.status === 'paid' && link.rps_updated
    const isPostingDue = wasApplied ? hasUnposted : status === 'paid' && status !== link.status
    const change = {
      status,
      payment_link_id: snapshot.paymentLinkId,
      redirect_url: snapshot.redirectUrl,
      amount_paid_paise: capturedOf(payments),
      landed_late: link.landed_late || (status !== link.status && isClosedLink(link.status)),
      rps_updated: wasApplied || isAllApplied({ ...link, status }, payments),
      provider_checked_at: now,
      ...(isPostingDue && { next_check_at: new Date(now.getTime() + unpostedRetryMs) }),
    }
    await changeLink(sql, key, change)
    if (status !== link.status) await addHistory(sql, key, { at: now, from: link.status, to: status, ...report })
    return { link: { ...link, ...change }, payments }
  })
}

/** The wrong reference, link or amount must never move a loan. */
function mismatchOf(link: LinkRow, snapshot: LinkSnapshot): 'reference' | 'payment_link_id' | 'amount' | null {
  if (snapshot.reference !== link.reference) return 'reference'
  if (link.payment_link_id !== null && snapshot.paymentLinkId !== link.payment_link_id) return 'payment_link_id'
  return snapshot.amountPaise === link.amount_paise ? null : 'amount'
}

/** Syncs refunds that the provider or the lender made without us: their sum is more than that of the refunds we know. */
async function syncUnknownRefunds(context: MoneyContext, { link, payments }: PostedLink): Promise<void> {
  const refunded = payments.filter(({ refunded_paise, transaction_id }) => refunded_paise > 0n && transaction_id !== null)
  if (refunded.length === 0) return
  const refunds = await context.database.asBorrower(link.borrower_id, (sql) =>
    refundsOfLinks(sql, link.borrower_id, [link.payment_intent_id]),
  )
  const knownPaise = (payment: ProviderPaymentRow) =>
    refunds
      .filter((refund) => refund.provider_refund_id !== null && refund.provider_payment_id === payment.provider_payment_id)
      .reduce((sum, refund) => sum + refund.amount_paise, 0n)
  for (const payment of refunded) if (knownPaise(payment) < payment.refunded_paise) await syncRefunds(context, payment)
}

function reviewMismatch(sql: Sql, link: LinkRow, mismatch: string, snapshot: LinkSnapshot, now: Date): Promise<boolean> {
  return addReview(
    sql,
    {
      borrowerId: link.borrower_id,
      loanId: link.loan_id,
      paymentIntentId: link.payment_intent_id,
      kind: `${mismatch}_mismatch` as ReviewKind,
      about: `${link.payment_intent_id}:${snapshot.paymentLinkId}`,
      detail: {
        reference: snapshot.reference,
        payment_link: snapshot.paymentLinkId,
        amount_paise: String(snapshot.amountPaise),
        expected_paise: String(link.amount_paise),
        payments: snapshot.payments.map(({ providerPaymentId }) => providerPaymentId).join(' '),
      },
    },
    now,
  )
}

function reviewCurrency(sql: Sql, link: LinkRow, payment: TakenPayment, now: Date): Promise<boolean> {
  return addReview(
    sql,
    {
      borrowerId: link.borrower_id,
      loanId: link.loan_id,
      paymentIntentId: link.payment_intent_id,
      kind: 'currency_mismatch',
      about: payment.providerPaymentId,
      detail: {
        payment: payment.providerPaymentId,
        currency: payment.currency,
        amount: String(payment.amountPaise),
        paid_on: dayInIndia(payment.paidAt),
      },
    },
    now,
  )
}
