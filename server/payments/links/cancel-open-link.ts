import { isClosedLink } from '#domain/payment-links.ts'
import type { MoneyContext } from '../../context.ts'
import type { LinkCancelOutcome, LoanChangeContext } from '../../loan-changes/change-loan.ts'
import type { Report } from './store-snapshot.ts'
import { refreshLink, syncLinkFromProvider } from './sync-link.ts'
import { keyOf, type LinkRow } from '../payment-store.ts'

/** What a change of a loan reaches of the provider. */
export const loanChangeContext = (context: MoneyContext): LoanChangeContext => ({
  database: context.database,
  clock: context.clock,
  cancelLink: (link, actorId) => cancelOpenLink(context, link, { source: 'operator', actorId }),
})

/**
 * Cancels a link at the provider and stores what the provider answers. Whether the link is cancelled is the provider's word, never ours:
 * it may be paid at this very moment (decision 39). A link that was found paid is applied.
 */
export async function cancelOpenLink(context: MoneyContext, link: LinkRow, report: Report): Promise<LinkCancelOutcome> {
  // Only the provider knows whether a link exists whose creation was not answered, and how far a payment has come.
  const known = link.status === 'created' ? link : await refreshLink(context, link, report)
  if (known.status !== 'created' || known.payment_link_id === null) return outcomeOf(known)
  await context.failPoint('cancel_asked')
  const outcome = await context.gateway.cancelLink(known.payment_link_id)
  await context.failPoint('cancel_answered')
  switch (outcome.kind) {
    case 'cancelled':
      return outcomeOf(await syncLinkFromProvider(context, keyOf(known), outcome.link, report))
    case 'not_cancellable':
      return outcomeOf(await refreshLink(context, known, report))
    case 'unknown':
      return { kind: 'unknown', link: known }
  }
}

function outcomeOf(link: LinkRow): LinkCancelOutcome {
  if (isClosedLink(link.status)) return { kind: 'closed', link }
  if (link.status === 'paid' && link.rps_updated) return { kind: 'paid', link }
  // Part of its money, or all of it, has arrived and is not on the loan yet.
  if (link.status === 'partially_paid' || link.status === 'paid') return { kind: 'open', link }
  return { kind: 'unknown', link }
}
