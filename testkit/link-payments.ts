import type { Sql } from '#server/database/connect.ts'

/** The provider's payments of a payment link, by the link's id at the provider. */
export const selectLinkPayments = (sql: Sql, paymentLinkId: string) =>
  sql
    .selectFrom('provider_payments')
    .innerJoin('payment_links', (join) =>
      join
        .onRef('payment_links.borrower_id', '=', 'provider_payments.borrower_id')
        .onRef('payment_links.payment_intent_id', '=', 'provider_payments.payment_intent_id'),
    )
    .where('payment_links.payment_link_id', '=', paymentLinkId)
