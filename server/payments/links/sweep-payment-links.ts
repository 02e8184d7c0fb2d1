import { hourMs, dayMs } from '#domain/durations.ts'
import { isPayableLink } from '#domain/payment-links.ts'
import type { Context } from '../../context.ts'
import { backOffMs, noFurtherCheck, type BackOff } from '../../jobs/back-off.ts'
import { collectFailures } from '../../jobs/collect-failures.ts'
import { cancelOpenLink } from './cancel-open-link.ts'
import { claimLinks, selectDueLinks } from './link-store.ts'
import { awaitsProvider, type LinkRow } from '../../ledger/open-links-store.ts'
import { refreshLink } from './sync-link.ts'

const linksPerBatch = 20
/** The longest waits between checks of an open and of a closed link. */
const openCheckWaitMsMax = 6 * hourMs
const closedCheckWaitMsMax = dayMs
/** The waits between checks of a link with unposted money or a requested cancel. */
const pendingBackOff = { firstMs: 2_000, maxMs: 60_000 }

/**
 * A closed link can still receive money: the provider asks the banks for three days, and transfers
 * take longer. It is checked until the provider has answered once after five days, for thirty days
 * at most. Then only the daily reconciliation finds such money.
 */
const closedDays = { answered: 5, most: 30 }

function isOver({ created_at, provider_checked_at, payment_link_id }: LinkRow, now: Date): boolean {
  const daysUntil = (at: Date) => (at.getTime() - created_at.getTime()) / dayMs
  // The provider never had a link without its id.
  const lastAnswer = payment_link_id === null ? now : provider_checked_at
  return (lastAnswer !== null && daysUntil(lastAnswer) > closedDays.answered) || daysUntil(now) > closedDays.most
}

/** True while a requested cancel of the link is not confirmed by the provider. */
const hasPendingCancel = (link: LinkRow) => link.cancel_requested_at !== null && isPayableLink(link.status)

/**
 * Checks the links that are due, so that a payment is posted even if the tab was closed and every
 * webhook was lost.
 *
 * @returns the number of links checked.
 * @throws Error if some links could not be checked. The others were, and these are due again later.
 */
export async function sweepPaymentLinks(context: Context): Promise<number> {
  const firstMs = context.config.payments.sweepAfterSeconds * 1_000
  const now = context.clock.now()
  const found = await context.database.findAvailable(linksPerBatch, (sql) => selectDueLinks(sql, now, linksPerBatch))
  if (found.length === 0) return 0
  const links = await context.database.asSystem((sql) =>
    claimLinks(sql, found, now, (link) => {
      const after = (backOff: BackOff) => new Date(now.getTime() + backOffMs(link.checks, backOff))
      if (hasPendingCancel(link)) return after(pendingBackOff)
      if (isPayableLink(link.status)) return after({ firstMs, maxMs: openCheckWaitMsMax })
      if (awaitsProvider(link)) return after(pendingBackOff)
      return isOver(link, now) ? noFurtherCheck : after({ firstMs, maxMs: closedCheckWaitMsMax })
    }),
  )
  const failures = collectFailures()
  for (const link of links) await checkLink(context, link).catch(failures.add)
  failures.throwIfAny(links.length, 'payment links could not be checked')
  return links.length
}

function checkLink(context: Context, link: LinkRow): Promise<unknown> {
  return hasPendingCancel(link)
    ? cancelOpenLink(context, link, { source: 'operator', actorId: link.cancel_requested_by ?? 'system' })
    : refreshLink(context, link, { source: 'sweep', actorId: 'system' })
}
