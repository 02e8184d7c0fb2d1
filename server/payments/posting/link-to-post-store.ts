import { closedStatuses, type LinkStatus } from '#domain/payment-links.ts'
import { statement, type RowsOf } from '../../database/statement.ts'
import type { LinkRow } from '../../ledger/open-links-store.ts'
import { linkForUpdate, noLink, type LinkKey } from '../links/link-store.ts'
import { paymentsOfLink, type ProviderPaymentRow } from '../provider-payment-store.ts'
import { selectLinkRefunds, type RefundRow } from '../refund-store.ts'

// Compiled once: a posting runs them for each payment.
const refundsOfLink = statement<LinkKey>()((sql, { borrowerId, paymentIntentId }) => selectLinkRefunds(sql, borrowerId, [paymentIntentId]))

const endsOfLink = statement<LinkKey>()((sql, { borrowerId, paymentIntentId }) =>
  sql
    .selectFrom('payment_link_history')
    .select('to_status')
    .where('borrower_id', '=', borrowerId)
    .where('payment_intent_id', '=', paymentIntentId)
    .where('to_status', 'in', closedStatuses),
)

/**
 * Locks the link's row and reads what its payments are posted with: the payments and refunds of the
 * link, oldest first, and the closed statuses in its history, which a late payment may have
 * changed.
 */
export const linkToPostReads = (key: LinkKey) =>
  [linkForUpdate.with(key), paymentsOfLink.with(key), refundsOfLink.with(key), endsOfLink.with(key)] as const

/** Builds a link from the rows of {@link linkToPostReads}. */
export function buildLinkToPost(
  [[link], payments, refunds, steps]: RowsOf<ReturnType<typeof linkToPostReads>>,
  key: LinkKey,
): { link: LinkRow; payments: ProviderPaymentRow[]; refunds: RefundRow[]; closedAs: ReadonlySet<LinkStatus> } {
  if (!link) throw noLink(key)
  return { link, payments, refunds, closedAs: new Set(steps.map((step) => step.to_status)) }
}
