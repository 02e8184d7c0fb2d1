import { isPayableLink } from '#domain/payment-links.ts'
import type { MoneyContext } from '../../context.ts'
import { storeSnapshot, type Report, type StoredLink } from './store-snapshot.ts'
import { addHistory, changeLink, keyOf, lockLink, type LinkKey, type LinkRow } from '../payment-store.ts'

/** A create call that was not answered can still reach the provider for this long; until then an absent link proves nothing. */
const createInFlightMsMax = 120_000

/**
 * Asks the provider for a link's state and stores it, without posting: money that is found is posted by the sweeper or the webhook. If the
 * provider does not answer, the link is returned unchanged.
 */
export async function lookUpLink(context: MoneyContext, link: LinkRow, report: Report): Promise<StoredLink> {
  const key = keyOf(link)
  const outcome =
    link.payment_link_id === null
      ? await context.gateway.findLinkByReference(link.reference)
      : await context.gateway.fetchLink(link.payment_link_id)
  if (outcome.kind === 'found') return storeSnapshot(context, key, outcome.link, report)
  if (outcome.kind === 'absent') return { link: await closeIfGone(context, key, report), payments: [] }
  if (outcome.kind === 'unknown')
    context.log.warn({ reference: link.reference, reason: outcome.reason }, 'the provider did not tell how a link stands')
  return { link, payments: [] }
}

/** Whether asking the provider can still change anything. */
export const isWatched = (link: Standing) => isPayableLink(link.status) || (hasMoney(link) && !link.rps_updated)

type Standing = Pick<LinkRow, 'status' | 'rps_updated' | 'amount_paid_paise'>
const hasMoney = (link: Standing) => link.status === 'paid' || link.amount_paid_paise > 0n

/**
 * A link the provider does not know of: one that was being made was never made, once no answer can be on its way any more;
 * one that was made counts as expired when its time is over. Neither may stand in the way for ever.
 */
async function closeIfGone({ database, clock, log }: MoneyContext, key: LinkKey, report: Report): Promise<LinkRow> {
  return database.asBorrower(key.borrowerId, async (sql) => {
    const link = await lockLink(sql, key)
    const now = clock.now()
    const status = statusOfGone(link, now)
    if (status === null) return link
    log.warn({ reference: link.reference, status }, 'the provider does not know of a link')
    await changeLink(sql, key, { status })
    await addHistory(sql, key, { at: now, from: link.status, to: status, ...report })
    return { ...link, status }
  })
}

function statusOfGone(link: LinkRow, now: Date): 'refused' | 'expired' | null {
  if (link.status === 'creating') return now.getTime() - link.created_at.getTime() > createInFlightMsMax ? 'refused' : null
  return link.status === 'created' && now > link.expires_at ? 'expired' : null
}
