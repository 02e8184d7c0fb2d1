import { isPayableLink } from '#domain/payment-links.ts'
import type { Context } from '../../context.ts'
import { cancelOpenLink } from './cancel-open-link.ts'
import { claimDueLinks, neverAgain, type LinkRow } from '../payment-store.ts'
import { isWatched } from './look-up-link.ts'
import { refreshLink } from './sync-link.ts'

const linksAtOnce = 20
const openMsMax = 6 * 3_600_000
/** Money that waits to be applied is looked at every minute at least. */
const unappliedMsMin = 2_000
const unappliedMsMax = 60_000

/** Money may still land on a closed link: the provider asks banks for three days, transfers take longer. After that, daily reconciliation sees it. */
const closedDaysMax = 5
const closedMsMax = 24 * 3_600_000

const doubled = (firstMs: number, { checks }: LinkRow, mostMs: number) => Math.min(firstMs * 2 ** Math.min(checks, 20), mostMs)

/** Whether the lender recorded a fact that the link's amount does not contain, and the provider has not confirmed its cancel yet. */
const isToCancel = (link: LinkRow) => link.cancel_requested_at !== null && isPayableLink(link.status)

/**
 * Looks after every link whose time has come: what webhooks and the waiting page did not bring is fetched. So a payment
 * is applied even when the tab was closed and every event was lost.
 *
 * @returns how many links were looked at.
 */
export async function sweepPaymentLinks(context: Context): Promise<number> {
  const firstMs = context.config.payments.sweepAfterSeconds * 1_000
  const now = context.clock.now()
  const links = await context.database.asSystem((sql) =>
    claimDueLinks(sql, now, linksAtOnce, (link) => {
      const after = (ms: number) => new Date(now.getTime() + ms)
      if (isToCancel(link)) return after(doubled(unappliedMsMin, link, unappliedMsMax))
      if (isPayableLink(link.status)) return after(doubled(firstMs, link, openMsMax))
      if (isWatched(link)) return after(doubled(unappliedMsMin, link, unappliedMsMax))
      const isOver = now.getTime() - link.created_at.getTime() > closedDaysMax * closedMsMax
      return isOver ? neverAgain : after(doubled(firstMs, link, closedMsMax))
    }),
  )
  for (const link of links)
    if (isToCancel(link)) await cancelOpenLink(context, link, { source: 'operator', actorId: link.cancel_requested_by ?? 'system' })
    else await refreshLink(context, link, { source: 'sweep', actorId: 'system' })
  return links.length
}
