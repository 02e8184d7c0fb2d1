import type { PaymentGateway } from '../../adapters/payment-gateway/payment-gateway.ts'
import type { MoneyContext } from '../../context.ts'
import { storeSnapshot, type SyncCause, type StoredLink } from './store-snapshot.ts'
import { addHistory, changeLink, keyOf, lockLink, type LinkKey } from './link-store.ts'
import type { LinkRow } from '../../ledger/open-links-store.ts'

/**
 * The time in which an unanswered create call can still reach the provider. Before it is over, an
 * absent link or registration can still be created.
 */
export const createInFlightMsMax = 120_000

/** Fetches a link: by its reference while its creation is not confirmed. */
export const fetchLinkFromProvider = (gateway: PaymentGateway, link: Pick<LinkRow, 'payment_link_id' | 'reference'>) =>
  link.payment_link_id === null ? gateway.findLinkByReference(link.reference) : gateway.fetchLink(link.payment_link_id)

/**
 * Fetches a link from the provider and stores it without posting its payments; the webhook or the
 * sweeper posts them. If the provider does not answer, the link is returned unchanged.
 */
export async function lookUpLink(context: MoneyContext, link: LinkRow, cause: SyncCause): Promise<StoredLink> {
  const key = keyOf(link)
  const outcome = await fetchLinkFromProvider(context.gateway, link)
  if (outcome.kind === 'found') {
    const stored = await storeSnapshot(context, key, outcome.link, cause)
    // An unconfirmed link that differs from the one requested must not be paid.
    if (link.status === 'creating' && stored.link.status === 'refused') await context.gateway.cancelLink(outcome.link.paymentLinkId)
    return stored
  }
  if (outcome.kind === 'absent') return { link: await closeUnknownLink(context, key, cause), payments: [] }
  if (outcome.kind === 'unknown')
    context.log.warn({ reference: link.reference, reason: outcome.reason }, 'payment link state not available from provider')
  return { link, payments: [] }
}

/**
 * Closes a link that the provider does not know, so that it does not block the loan forever. An
 * unconfirmed link becomes `refused` after `createInFlightMsMax`, a created one `expired` after its
 * expiry.
 */
async function closeUnknownLink({ database, clock, log }: MoneyContext, key: LinkKey, cause: SyncCause): Promise<LinkRow> {
  return database.asBorrower(key.borrowerId, async (sql) => {
    const link = await lockLink(sql, key)
    const now = clock.now()
    const status = statusOfUnknownLink(link, now)
    if (status === null) return link
    log.warn({ reference: link.reference, status }, 'payment link not found at provider')
    await changeLink(sql, key, { status })
    await addHistory(sql, key, { at: now, from: link.status, to: status, ...cause })
    return { ...link, status }
  })
}

function statusOfUnknownLink(link: LinkRow, now: Date): 'refused' | 'expired' | null {
  if (link.status === 'creating') return now.getTime() - link.created_at.getTime() > createInFlightMsMax ? 'refused' : null
  return link.status === 'created' && now > link.expires_at ? 'expired' : null
}
