import type { LinkSnapshot } from '../../adapters/payment-gateway/payment-gateway.ts'
import type { MoneyContext } from '../../context.ts'
import { isTakenByBank } from '../../loans/refund-facts-store.ts'
import { sumAmounts } from '../link-money.ts'
import type { LinkKey } from './link-store.ts'
import type { LinkRow } from '../../ledger/open-links-store.ts'
import type { ProviderPaymentRow } from '../provider-payment-store.ts'
import { postReceivedMoney } from '../posting/post-received-money.ts'
import { reviewRecordedOfPosted } from '../posting/replace-recorded.ts'
import { listLinkRefunds } from '../refund-store.ts'
import { syncRefunds } from '../refunds/sync-refunds.ts'
import { lookUpLink } from './look-up-link.ts'
import { storeSnapshot, type SyncCause, type StoredLink } from './store-snapshot.ts'

/** Syncs a link with a view that the provider has given, and posts its payments. */
export async function syncLinkFromProvider(
  context: MoneyContext,
  key: LinkKey,
  snapshot: LinkSnapshot,
  cause: SyncCause,
): Promise<LinkRow> {
  return postStored(context, await storeSnapshot(context, key, snapshot, cause))
}

/**
 * Asks the provider for a link's state, syncs the link and posts its payments. If the provider does
 * not answer, the link is returned unchanged.
 */
export async function refreshLink(context: MoneyContext, link: LinkRow, cause: SyncCause): Promise<LinkRow> {
  return postStored(context, await lookUpLink(context, link, cause))
}

/**
 * The end of every sync, from webhooks, status polls, the sweeper, cancelling and reconciliation.
 * Repeated, reordered and parallel calls have the effect of one call.
 *
 * The provider's view is stored in its own transaction before the posting: if the posting fails,
 * the borrower still sees that the money arrived, and the sweeper tries again.
 */
async function postStored(context: MoneyContext, stored: StoredLink): Promise<LinkRow> {
  let posted = stored
  if (stored.payments.some(({ transaction_id }) => transaction_id === null)) {
    await context.failPoint('capture_stored')
    posted = await postReceivedMoney(context, stored.link)
    await context.failPoint('posting_committed')
  }
  await reviewRecordedOfPosted(context, stored)
  await syncUnknownRefunds(context, posted)
  return posted.link
}

/**
 * Syncs refunds that the provider or the lender made without us: their sum is more than that of the
 * refunds we know. A failed one is left out, since the lender may have made it again.
 */
async function syncUnknownRefunds(context: MoneyContext, { link, payments }: StoredLink): Promise<void> {
  const refunded = payments.filter(({ refunded_paise, transaction_id }) => refunded_paise > 0n && transaction_id !== null)
  if (refunded.length === 0) return
  const refunds = await context.database.asBorrower(link.borrower_id, (sql) =>
    listLinkRefunds(sql, link.borrower_id, [link.payment_intent_id]),
  )
  const atProvider = refunds.filter((one) => one.provider_refund_id !== null && one.status !== 'failed' && !isTakenByBank(one))
  const knownPaise = (payment: ProviderPaymentRow) =>
    sumAmounts(atProvider.filter(({ provider_payment_id }) => provider_payment_id === payment.provider_payment_id))
  for (const payment of refunded) if (knownPaise(payment) < payment.refunded_paise) await syncRefunds(context, payment)
}
