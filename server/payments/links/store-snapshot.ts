import { dayInIndia } from '#domain/calendar.ts'
import { advanceLink, isClosedLink, isPayableLink } from '#domain/payment-links.ts'
import type { LinkSnapshot, CapturedOrRefundedPayment } from '../../adapters/payment-gateway/payment-gateway.ts'
import type { MoneyContext } from '../../context.ts'
import type { Sql } from '../../database/connect.ts'
import { sumCaptured, isAllApplied } from '../link-money.ts'
import { addHistory, changeLink, lockLink, type HistorySource, type LinkKey } from './link-store.ts'
import { addProviderPayment, listLinkPayments, type ProviderPaymentRow } from '../provider-payment-store.ts'
import { awaitsProvider, type LinkRow } from '../../ledger/open-links-store.ts'
import { addReview, reviewOwner } from '../review-store.ts'

/** The cause of a sync, for the link's history. */
export type SyncCause = { source: HistorySource; actorId: string }

/** A link with its payments, as stored. */
export type StoredLink = { link: LinkRow; payments: ProviderPaymentRow[] }

/** The wait before the next check of a link with captured money that is not in the ledger yet. */
const unpostedRetryMs = 2_000

/**
 * Stores the provider's view of a link and moves our status forward. A mismatch is reviewed, and
 * only ends a link that else would block its loan.
 */
export function storeSnapshot(
  { database, clock, log }: MoneyContext,
  key: LinkKey,
  snapshot: LinkSnapshot,
  cause: SyncCause,
): Promise<StoredLink> {
  return database.asBorrower(key.borrowerId, async (sql) => {
    const link = await lockLink(sql, key)
    // Read under the lock, so that the times of the history ascend.
    const now = clock.now()
    const mismatch = findMismatch(link, snapshot)
    if (mismatch) {
      log.error({ reference: link.reference, mismatch }, 'payment link at provider differs from the one requested')
      await reviewMismatch(sql, link, mismatch, snapshot, now)
      const ended = statusOfDifferentLink(link, now)
      if (ended === null) return { link, payments: [] }
      await changeLink(sql, key, { status: ended })
      await addHistory(sql, key, { at: now, from: link.status, to: ended, ...cause })
      return { link: { ...link, status: ended }, payments: [] }
    }
    for (const payment of snapshot.payments)
      if (payment.currency === 'INR') await addProviderPayment(sql, link, payment, now)
      else await reviewCurrency(sql, link, payment, now)
    for (const { providerPaymentId: payment, reason } of snapshot.unread ?? [])
      log.warn({ reference: link.reference, payment, reason }, 'payment of a link not available from provider')
    const payments = await listLinkPayments(sql, key.borrowerId, [key.paymentIntentId])
    if (snapshot.status === null) log.warn({ reference: link.reference }, 'unknown payment link status from provider')
    const amountPaidPaise = sumCaptured(payments)
    const isShort = amountPaidPaise < link.amount_paise && snapshot.payments.some(({ currency }) => currency !== 'INR')
    const reported = isShort && snapshot.status === 'paid' ? statusWithoutRupees(link, now) : snapshot.status
    const status = reported === null ? link.status : advanceLink(link.status, reported)
    const hasUnposted = payments.some(({ transaction_id }) => transaction_id === null)
    // The loan can already have its next link: an additional payment is posted without blocking the
    // loan.
    const wasApplied = link.status === 'paid' && link.rps_updated
    // New money, and money on a closed link, would else wait for the link's next check, which can
    // be a day.
    const isNewMoney = amountPaidPaise > link.amount_paid_paise || !awaitsProvider(link)
    const isPostingDue = (hasUnposted && isNewMoney) || (status === 'paid' && status !== link.status)
    const change = {
      status,
      payment_link_id: snapshot.paymentLinkId,
      redirect_url: snapshot.redirectUrl,
      amount_paid_paise: amountPaidPaise,
      landed_late: link.landed_late || (status !== link.status && isClosedLink(link.status)),
      rps_updated: wasApplied || isAllApplied({ ...link, status }, payments),
      provider_checked_at: now,
      ...(isPostingDue && { next_check_at: new Date(now.getTime() + unpostedRetryMs) }),
    }
    await changeLink(sql, key, change)
    if (status !== link.status) await addHistory(sql, key, { at: now, from: link.status, to: status, ...cause })
    return { link: { ...link, ...change }, payments }
  })
}

/** The wrong reference, link or amount must never move a loan. */
function findMismatch(link: LinkRow, snapshot: LinkSnapshot): 'reference' | 'payment_link_id' | 'amount' | null {
  if (snapshot.reference !== link.reference) return 'reference'
  if (link.payment_link_id !== null && snapshot.paymentLinkId !== link.payment_link_id) return 'payment_link_id'
  return snapshot.amountPaise === link.amount_paise ? null : 'amount'
}

/** Nobody has the URL of an unconfirmed link; any other link is over when it has expired. */
function statusOfDifferentLink({ status, expires_at }: LinkRow, now: Date): 'refused' | 'expired' | null {
  if (status === 'creating') return 'refused'
  return isPayableLink(status) && now > expires_at ? 'expired' : null
}

/**
 * Money in another currency is never posted, so it does not make a link paid: the link is over when
 * it has expired.
 */
const statusWithoutRupees = ({ expires_at }: LinkRow, now: Date): 'created' | 'expired' => (now > expires_at ? 'expired' : 'created')

function reviewMismatch(
  sql: Sql,
  link: LinkRow,
  mismatch: NonNullable<ReturnType<typeof findMismatch>>,
  snapshot: LinkSnapshot,
  now: Date,
): Promise<boolean> {
  return addReview(
    sql,
    {
      ...reviewOwner(link),
      kind: `${mismatch}_mismatch`,
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

function reviewCurrency(sql: Sql, link: LinkRow, payment: CapturedOrRefundedPayment, now: Date): Promise<boolean> {
  return addReview(
    sql,
    {
      ...reviewOwner(link),
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
