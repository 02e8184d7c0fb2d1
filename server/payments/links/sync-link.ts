import { dayInIndia } from '#domain/calendar.ts'
import { advanceLink, isClosedLink } from '#domain/payment-links.ts'
import type { LinkSnapshot, TakenPayment } from '../../adapters/payment-gateway/payment-gateway.ts'
import type { MoneyContext } from '../../context.ts'
import type { Sql } from '../../database/connect.ts'
import { syncRefunds } from '../refunds/sync-refunds.ts'
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
import { postReceivedMoney } from '../posting/post-received-money.ts'
import { refundsOfLinks } from '../refund-store.ts'
import { addReview, type ReviewKind } from '../review-store.ts'

/** Who or what reported. */
export type Report = { source: HistorySource; actorId: string }

/** Money that is known of but not in the ledger yet is looked at again this soon. */
const applyRetryMs = 2_000

/**
 * The one function behind webhooks, status polls, the sweeper, cancelling and reconciliation: takes the provider's view of a link,
 * moves ours forward, and puts every payment into the ledger. Called any number of times, in any order and at once, it has the
 * effect of one call.
 *
 * What the provider says is kept in a transaction of its own before the posting: should the posting fail, the borrower
 * sees that the money has arrived, and the sweeper tries again.
 */
export async function syncLinkFromProvider(context: MoneyContext, key: LinkKey, snapshot: LinkSnapshot, report: Report): Promise<LinkRow> {
  const { link, hasUnposted } = await recordSnapshot(context, key, snapshot, report)
  if (!hasUnposted) return afterRefunds(context, key, link)
  await context.failPoint('capture_stored')
  const posted = await postReceivedMoney(context, key)
  await context.failPoint('posting_committed')
  return afterRefunds(context, key, posted)
}

type Recorded = { link: LinkRow; hasUnposted: boolean }

async function recordSnapshot(
  { database, clock, log }: MoneyContext,
  key: LinkKey,
  snapshot: LinkSnapshot,
  report: Report,
): Promise<Recorded> {
  return database.asBorrower(key.borrowerId, async (sql) => {
    const link = await lockLink(sql, key)
    // Under the lock, so that the history's times stand in the order of its steps.
    const now = clock.now()
    const mismatch = mismatchOf(link, snapshot)
    if (mismatch) {
      log.error({ reference: link.reference, mismatch }, 'the provider tells another link than the one asked for')
      await reviewMismatch(sql, link, mismatch, snapshot, now)
      return { link, hasUnposted: false }
    }
    for (const payment of snapshot.payments)
      if (payment.currency === 'INR') await addProviderPayment(sql, link, payment, now)
      else await reviewCurrency(sql, link, payment, now)
    const payments = await providerPaymentsOf(sql, key.borrowerId, [key.paymentIntentId])
    if (snapshot.status === null) log.warn({ reference: link.reference }, 'the provider says of a link what we have no word for')
    const status = snapshot.status === null ? link.status : advanceLink(link.status, snapshot.status)
    const hasUnposted = payments.some(({ transaction_id }) => transaction_id === null)
    // Its loan may have the next link by now: what comes on top is posted, but does not stand in anybody's way again.
    const wasApplied = link.status === 'paid' && link.rps_updated
    const isOwedNow = wasApplied ? hasUnposted : status === 'paid' && status !== link.status
    const change = {
      status,
      payment_link_id: snapshot.paymentLinkId,
      redirect_url: snapshot.redirectUrl,
      amount_paid_paise: capturedOf(payments),
      landed_late: link.landed_late || (status !== link.status && isClosedLink(link.status)),
      rps_updated: wasApplied || isAllApplied({ ...link, status }, payments),
      provider_checked_at: now,
      ...(isOwedNow && { next_check_at: new Date(now.getTime() + applyRetryMs) }),
    }
    await changeLink(sql, key, change)
    if (status !== link.status) await addHistory(sql, key, { at: now, from: link.status, to: status, ...report })
    return { link: { ...link, ...change }, hasUnposted }
  })
}

/** The wrong reference, link or amount must never move a loan. */
function mismatchOf(link: LinkRow, snapshot: LinkSnapshot): 'reference' | 'payment_link_id' | 'amount' | null {
  if (snapshot.reference !== link.reference) return 'reference'
  if (link.payment_link_id !== null && snapshot.paymentLinkId !== link.payment_link_id) return 'payment_link_id'
  return snapshot.amountPaise === link.amount_paise ? null : 'amount'
}

/** What the provider knows of refunds and we do not is looked up: it sent them by itself, or the lender did there. */
async function afterRefunds(context: MoneyContext, key: LinkKey, link: LinkRow): Promise<LinkRow> {
  const unknown = await context.database.asBorrower(key.borrowerId, async (sql) => {
    const payments = await providerPaymentsOf(sql, key.borrowerId, [key.paymentIntentId])
    const refunded = payments.filter(({ refunded_paise, transaction_id }) => refunded_paise > 0n && transaction_id !== null)
    if (refunded.length === 0) return []
    const refunds = await refundsOfLinks(sql, key.borrowerId, [key.paymentIntentId])
    const known = (payment: ProviderPaymentRow) =>
      refunds
        .filter((refund) => refund.provider_refund_id !== null && refund.provider_payment_id === payment.provider_payment_id)
        .reduce((sum, refund) => sum + refund.amount_paise, 0n)
    return refunded.filter((payment) => known(payment) < payment.refunded_paise)
  })
  for (const payment of unknown) await syncRefunds(context, payment)
  return link
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
