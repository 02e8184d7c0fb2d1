import type { ListedPayment } from '../../adapters/payment-gateway/payment-gateway.ts'
import type { MoneyContext } from '../../context.ts'
import type { Report } from './store-snapshot.ts'
import { syncLinkFromProvider } from './sync-link.ts'
import { findNamedLink, readLink, type LinkKey } from '../payment-store.ts'

/**
 * Brings home a payment that the provider told of by itself, outside of its link: the link is fetched, and the payment is among what
 * it took, whether the link says so or not.
 *
 * @returns whose link it is; null when it is none of ours.
 * @throws Error when the provider did not tell how the link stands.
 */
export async function syncPaymentFromProvider(context: MoneyContext, payment: ListedPayment, report: Report): Promise<LinkKey | null> {
  const { database, gateway } = context
  const key = await database.asSystem(
    async (sql) =>
      (payment.reference === null ? undefined : await findNamedLink(sql, payment.reference)) ??
      (payment.paymentLinkId === null ? undefined : await findNamedLink(sql, payment.paymentLinkId)),
  )
  if (!key) return null
  const link = await database.asBorrower(key.borrowerId, (sql) => readLink(sql, key))
  const outcome =
    link.payment_link_id === null ? await gateway.findLinkByReference(link.reference) : await gateway.fetchLink(link.payment_link_id)
  if (outcome.kind !== 'found')
    throw new Error(`The provider did not tell how link ${link.reference} stands, on which it has payment ${payment.providerPaymentId}`)
  const { payments } = outcome.link
  const isListed = payments.some(({ providerPaymentId }) => providerPaymentId === payment.providerPaymentId)
  await syncLinkFromProvider(context, key, isListed ? outcome.link : { ...outcome.link, payments: [...payments, payment] }, report)
  return key
}
