import { isClosedLink } from '#domain/payment-links.ts'
import type { MoneyContext } from '../../context.ts'
import type { LinkCancelOutcome, LoanChangeContext } from '../../loan-changes/change-loan.ts'
import type { SyncCause } from './store-snapshot.ts'
import { refreshLink, syncLinkFromProvider } from './sync-link.ts'
import { keyOf } from './link-store.ts'
import type { LinkRow } from '../../ledger/open-links-store.ts'

/** Builds the context of `changeLoan` with a provider. */
export const createLoanChangeContext = (context: MoneyContext): LoanChangeContext => ({
  database: context.database,
  clock: context.clock,
  cancelLink: (link, actorId) => cancelOpenLink(context, link, { source: 'operator', actorId }),
})

/**
 * Cancels a link at the provider and stores the answer. Only the provider decides whether the link
 * is cancelled, because it can be paid at the same moment (decision 39). The money of a paid link
 * is posted.
 */
export async function cancelOpenLink(context: MoneyContext, link: LinkRow, cause: SyncCause): Promise<LinkCancelOutcome> {
  // Only the provider knows whether an unconfirmed link exists and how much of a link is paid.
  const known = link.status === 'created' ? link : await refreshLink(context, link, cause)
  if (known.status !== 'created' || known.payment_link_id === null) return toCancelOutcome(known)
  await context.failPoint('cancel_asked')
  const outcome = await context.gateway.cancelLink(known.payment_link_id)
  await context.failPoint('cancel_answered')
  switch (outcome.kind) {
    case 'cancelled':
      return toCancelOutcome(await syncLinkFromProvider(context, keyOf(known), outcome.link, cause))
    case 'not_cancellable':
      return toCancelOutcome(await refreshLink(context, known, cause))
    case 'unknown':
      return { kind: 'unknown', link: known }
  }
}

function toCancelOutcome(link: LinkRow): LinkCancelOutcome {
  if (isClosedLink(link.status)) return { kind: 'closed', link }
  if (link.status === 'paid' && link.rps_updated) return { kind: 'paid', link }
  // A part or all of its money has arrived and is not posted yet.
  if (link.status === 'partially_paid' || link.status === 'paid') return { kind: 'open', link }
  return { kind: 'unknown', link }
}
