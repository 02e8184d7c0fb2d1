import { isOpenLink } from '#domain/payment-links.ts'
import type { Context } from '../context.ts'
import { claimDueLinks, type LinkRow } from './payment-store.ts'
import { refreshLink } from './watch-link.ts'

const linksAtOnce = 20
const openMsMax = 6 * 3_600_000
/** Money that waits to be applied is looked at every minute at least. */
const unappliedMsMin = 2_000
const unappliedMsMax = 60_000

const doubled = (firstMs: number, { checks }: LinkRow, mostMs: number) => Math.min(firstMs * 2 ** Math.min(checks, 20), mostMs)

/**
 * Looks after every link whose time has come: what webhooks and the waiting page did not bring is fetched. So a payment
 * is applied even when the tab was closed and every event was lost.
 *
 * @returns how many links were looked at.
 */
export async function sweepPaymentLinks(context: Context): Promise<number> {
  const firstMs = context.config.payments.sweepAfterSeconds * 1_000
  const links = await context.database.asSystem((sql) =>
    claimDueLinks(sql, context.clock.now(), linksAtOnce, (link) =>
      isOpenLink(link.status) ? doubled(firstMs, link, openMsMax) : doubled(unappliedMsMin, link, unappliedMsMax),
    ),
  )
  for (const link of links) await refreshLink(context, link, { source: 'sweep', actorId: 'system' })
  return links.length
}
