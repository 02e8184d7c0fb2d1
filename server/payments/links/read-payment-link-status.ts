import type { readPaymentLinkStatus as call } from '#contract/payments.ts'
import { hourMs } from '#domain/durations.ts'
import { isClosedLink } from '#domain/payment-links.ts'
import type { PaymentLinkStatus } from '#domain/payments.ts'
import type { Context } from '../../context.ts'
import { notFound } from '../../http/failure.ts'
import { defineReading } from '../../http/reading.ts'
import { linkByProviderId } from './link-reads-store.ts'
import { sumAmounts, sumHeld } from '../link-money.ts'
import { shownStatus } from '../payment-link-on-wire.ts'
import { claimProviderCheck, findLinkByProviderId, hadStatus, keyOf } from './link-store.ts'
import { listLinkPayments } from '../provider-payment-store.ts'
import { listLinkRefunds } from '../refund-store.ts'
import { awaitsProvider, type LinkRow } from '../../ledger/open-links-store.ts'
import { refreshLink } from './sync-link.ts'

/** The time after a link's expiry in which its borrower can still be on the page of a payment. */
const closedCheckMs = hourMs

/**
 * Reads the status of a link. If the provider can have news and was not asked just now, one of the
 * simultaneous polls fetches the link from it first; the others are answered from the database.
 */
export const readPaymentLinkStatus = defineReading<typeof call>()(
  (borrowerId, { query }) => [linkByProviderId.with({ borrowerId, paymentLinkId: query.payment_link_id })],
  async (context, caller, { query }, [links = []]) => {
    const [known] = links
    if (!known || known.status === 'refused' || caller.borrowerId === null) throw notFound()
    const { clock, config } = context
    const now = clock.now()
    const freshSince = new Date(now.getTime() - config.payments.statusFreshMs)
    const isFresh = known.provider_checked_at !== null && known.provider_checked_at > freshSince
    const link = mayReceive(known, now) && !isFresh ? await claimLink(context, caller.borrowerId, query.payment_link_id, freshSince) : null
    const current = link === null ? known : await refreshLink(context, link, { source: 'poll', actorId: caller.actorId })
    return { status: await findStatus(context, current), rps_updated: current.rps_updated }
  },
)

/**
 * The status of a link that was ever closed follows what is kept of its money. With some it is
 * paid, since the borrower would else be told to pay again. If all of it is returned, the link is
 * shown as closed, also if the provider calls it paid by now.
 */
async function findStatus({ database }: Context, link: LinkRow): Promise<PaymentLinkStatus> {
  const isClosed = isClosedLink(link.status)
  if (link.amount_paid_paise === 0n || !(isClosed || link.landed_late)) return shownStatus(link.status)
  return database.asBorrower(link.borrower_id, async (sql) => {
    // Before the payments: a refund of one that is posted meanwhile must not take from the others.
    const refunds = await listLinkRefunds(sql, link.borrower_id, [link.payment_intent_id])
    const payments = await listLinkPayments(sql, link.borrower_id, [link.payment_intent_id])
    const keptPaise = sumAmounts(payments) - sumHeld(refunds)
    if (keptPaise > 0n) return keptPaise < link.amount_paise ? 'partially_paid' : 'paid'
    if (isClosed) return shownStatus(link.status)
    return (await hadStatus(sql, keyOf(link), 'cancelled')) ? 'cancelled' : 'expired'
  })
}

/** Returns the link if this poll may call the provider; otherwise null. */
function claimLink({ database, clock }: Context, borrowerId: string, paymentLinkId: string, freshSince: Date): Promise<LinkRow | null> {
  return database.asBorrower(borrowerId, async (sql) => {
    const link = await findLinkByProviderId(sql, borrowerId, paymentLinkId)
    const now = clock.now()
    return link && mayReceive(link, now) && (await claimProviderCheck(sql, keyOf(link), now, freshSince)) ? link : null
  })
}

/**
 * Whether the provider can have news of the link. Money can arrive after Kist has closed it, which
 * its borrower must not read as a reason to pay again.
 */
const mayReceive = (link: LinkRow, now: Date): boolean =>
  awaitsProvider(link) || (isClosedLink(link.status) && !link.rps_updated && now.getTime() < link.expires_at.getTime() + closedCheckMs)
