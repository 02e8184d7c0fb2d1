import type { ListedPayment } from '../../adapters/payment-gateway/payment-gateway.ts'
import type { MoneyContext } from '../../context.ts'
import { fetchLinkFromProvider } from './look-up-link.ts'
import type { SyncCause } from './store-snapshot.ts'
import { syncLinkFromProvider } from './sync-link.ts'
import { findLinkByReferenceOrId, readLink, type LinkKey } from './link-store.ts'

/**
 * Syncs the link of a payment that the provider reported outside its link. The payment is added if
 * the fetched link does not list it.
 *
 * @returns the key of the link; null if the payment has no link of ours.
 * @throws Error if the link cannot be fetched.
 */
export async function syncPaymentFromProvider(context: MoneyContext, payment: ListedPayment, cause: SyncCause): Promise<LinkKey | null> {
  const { database, gateway } = context
  const key = await database.asSystem(
    async (sql) =>
      (payment.reference === null ? undefined : await findLinkByReferenceOrId(sql, payment.reference)) ??
      (payment.paymentLinkId === null ? undefined : await findLinkByReferenceOrId(sql, payment.paymentLinkId)),
  )
  if (!key) return null
  const link = await database.asBorrower(key.borrowerId, (sql) => readLink(sql, key))
  const outcome = await fetchLinkFromProvider(gateway, link)
  if (outcome.kind !== 'found')
    throw new Error(`Link ${link.reference} of payment ${payment.providerPaymentId} could not be fetched from the provider`)
  const { payments } = outcome.link
  const isListed = payments.some(({ providerPaymentId }) => providerPaymentId === payment.providerPaymentId)
  await syncLinkFromProvider(context, key, isListed ? outcome.link : { ...outcome.link, payments: [...payments, payment] }, cause)
  return key
}
