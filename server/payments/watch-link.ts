import { isOpenLink } from '#domain/payment-links.ts'
import type { Context } from '../context.ts'
import { applySnapshot, type Report } from './apply-snapshot.ts'
import { addHistory, changeLink, lockLink, type LinkKey, type LinkRow } from './payment-store.ts'

/** A create call that was not answered can still reach the provider for this long; until then an absent link proves nothing. */
const createInFlightMsMax = 120_000

/**
 * Asks the provider how a link stands and applies what it says. A provider that cannot be reached changes nothing: the
 * link is returned as it is known, and asked for again later.
 */
export async function refreshLink(context: Context, link: LinkRow, report: Report): Promise<LinkRow> {
  const key = keyOf(link)
  const outcome =
    link.payment_link_id === null
      ? await context.gateway.findLinkByReference(link.reference)
      : await context.gateway.fetchLink(link.payment_link_id)
  if (outcome.kind === 'found') return applySnapshot(context, key, outcome.link, report)
  if (outcome.kind === 'absent' && link.status === 'creating') return dropIfNeverMade(context, key, report)
  if (outcome.kind === 'unknown')
    context.log.warn({ reference: link.reference, reason: outcome.reason }, 'the provider did not tell how a link stands')
  return link
}

export const keyOf = (link: LinkRow): LinkKey => ({ borrowerId: link.borrower_id, paymentIntentId: link.payment_intent_id })

/** Whether asking the provider can still change anything. */
export const isWatched = (link: LinkRow) => isOpenLink(link.status) || (hasMoney(link) && !link.rps_updated)

const hasMoney = (link: LinkRow) => link.status === 'paid' || link.amount_paid_paise > 0n

async function dropIfNeverMade({ database, clock }: Context, key: LinkKey, report: Report): Promise<LinkRow> {
  const now = clock.now()
  return database.asBorrower(key.borrowerId, async (sql) => {
    const link = await lockLink(sql, key)
    if (link.status !== 'creating' || now.getTime() - link.created_at.getTime() < createInFlightMsMax) return link
    await changeLink(sql, key, { status: 'refused' })
    await addHistory(sql, key, { at: now, from: 'creating', to: 'refused', ...report })
    return { ...link, status: 'refused' }
  })
}
