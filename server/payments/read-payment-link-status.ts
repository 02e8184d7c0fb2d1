import type { readPaymentLinkStatus as call } from '#contract/payments.ts'
import type { Context } from '../context.ts'
import { notFound } from '../http/failure.ts'
import type { UseCase } from '../http/route.ts'
import { borrowerOf } from '../loans/own-loan.ts'
import { shownStatus } from './payment-link-on-wire.ts'
import { claimProviderCheck, findLinkByProviderId, type LinkRow } from './payment-store.ts'
import { isWatched, keyOf, refreshLink } from './watch-link.ts'

/**
 * How a link stands. What is known is answered at once when it is final or fresh; otherwise the provider is asked
 * first, by one of the polls that come at the same time.
 */
export const readPaymentLinkStatus: UseCase<typeof call> = async (context, caller, { query }) => {
  const borrowerId = borrowerOf(caller)
  const { link, mayAsk } = await readAndClaim(context, borrowerId, query.payment_link_id)
  const current = mayAsk ? await refreshLink(context, link, { source: 'poll', actorId: caller.actorId }) : link
  return { status: shownStatus(current.status), rps_updated: current.rps_updated }
}

async function readAndClaim(
  { database, clock, config }: Context,
  borrowerId: string,
  paymentLinkId: string,
): Promise<{ link: LinkRow; mayAsk: boolean }> {
  const now = clock.now()
  const freshSince = new Date(now.getTime() - config.payments.statusFreshMs)
  return database.asBorrower(borrowerId, async (sql) => {
    const link = await findLinkByProviderId(sql, borrowerId, paymentLinkId)
    if (!link) throw notFound()
    return { link, mayAsk: isWatched(link) && (await claimProviderCheck(sql, keyOf(link), now, freshSince)) }
  })
}
