import type { Context } from '../context.ts'
import { claimDueLinks } from './payment-store.ts'
import { refreshLink } from './watch-link.ts'

const linksAtOnce = 20
const backOffMsMax = 6 * 3_600_000

/**
 * Looks after every link whose time has come: what webhooks and the waiting page did not bring is fetched. So a payment
 * is applied even when the tab was closed and every event was lost.
 *
 * @returns how many links were looked at.
 */
export async function sweepPaymentLinks(context: Context): Promise<number> {
  const firstMs = context.config.payments.sweepAfterSeconds * 1_000
  const backOffMs = (checks: number) => Math.min(firstMs * 2 ** Math.min(checks, 20), backOffMsMax)
  const links = await context.database.asSystem((sql) => claimDueLinks(sql, context.clock.now(), linksAtOnce, backOffMs))
  for (const link of links) await refreshLink(context, link, { source: 'sweep', actorId: 'system' })
  return links.length
}
