import { dayMs } from '#domain/durations.ts'
import { isPayableLink } from '#domain/payment-links.ts'
import { providerName } from '#domain/payments.ts'
import type { Context } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import type { CollectionRow } from '../autopay/collection-store.ts'
import { isAutopayName, syncByName } from '../autopay/sync-by-name.ts'
import { syncReturns } from '../autopay/sync-returns.ts'
import { syncPaymentFromProvider } from '../payments/links/sync-payment.ts'
import { syncRefunds } from '../payments/refunds/sync-refunds.ts'
import { findLinkByReferenceOrId, readLink } from '../payments/links/link-store.ts'
import { listLinkPayments, type ProviderPaymentRow } from '../payments/provider-payment-store.ts'
import { reviewDispute, type DisputedMoney } from '../payments/review-dispute.ts'
import { lostEvent } from '../payments/review-store.ts'
import { awaitsProvider, type LinkRow } from '../ledger/open-links-store.ts'
import { refreshLink } from '../payments/links/sync-link.ts'
import { finishEvents, storeEventError, type EventOutcome, type StoredEvent } from './inbox-store.ts'

/** An event that is still open after this time gets the outcome `dead` and is not retried. */
const retryPeriodMs = dayMs

const cause = { source: 'webhook', actorId: providerName } as const

/**
 * Processes the stored events of one link. The content of an event is never applied: the link is
 * fetched from the provider once and synced from the answer. A forged, repeated, late or reordered
 * event can only cause one more fetch, and no fetch if its content is already stored.
 */
export async function processEvents(context: Context, reference: string, events: readonly StoredEvent[]): Promise<void> {
  try {
    if (isAutopayName(reference)) return await processAutopayEvents(context, reference, events)
    const known = await context.database.asSystem((sql) => readNamedLink(sql, reference))
    if (!known) return await finish(context, events, () => 'ignored')
    if (!events.some((event) => needsProviderCheck(event, known))) return await finish(context, events, () => 'applied')
    const link = await refreshLink(context, known.link, cause)
    const payments = await fetchUnlistedPayments(context, known.link, events)
    const synced = await syncNamedRefunds(context, events, payments)
    await reviewDisputes(context, known.link, events.filter(isOfDispute))
    const isDone = (event: StoredEvent) => (isOfRefund(event) ? synced.has(event.paymentId) : isReflected(event, link, payments))
    await finish(context, events, (event) => (isDone(event) ? 'applied' : null))
  } catch (error) {
    context.log.error({ err: error, reference }, 'webhook events could not be processed')
    await context.database.asSystem((sql) => storeEventError(sql, events, String(error)))
    await finish(context, events, () => null)
  }
}

/**
 * Processes the events of a mandate or a debit: it is looked at with the provider, and disputes and
 * refunds of its money are synced. A lost dispute reverses the debit; a person can answer the
 * others. An event whose money is not posted yet is retried.
 */
async function processAutopayEvents(context: Context, reference: string, events: readonly StoredEvent[]): Promise<void> {
  const synced = await syncByName(context, reference)
  if (synced.kind === 'absent') return finish(context, events, () => 'ignored')
  const row = synced.kind === 'collection' ? synced.row : null
  const refunded = row === null ? null : await syncNamedRefunds(context, events, await readDebitPayments(context, row))
  const disputes = events.filter(isOfDispute)
  const notLost = disputes.filter(({ event_type }) => event_type !== lostEvent)
  try {
    if (disputes.length > 0) await syncReturns(context, row?.provider_payment_id ?? null)
  } finally {
    // Reviews are added even if the provider's list of disputes cannot be read.
    if (row !== null) await reviewDisputes(context, { ...row, payment_intent_id: row.collection_id }, notLost)
  }
  const isWaiting = (event: StoredEvent): boolean => {
    if (row === null) return false
    if (!isOfRefund(event)) return awaitsOutcome(event, row)
    return event.paymentId === row.provider_payment_id && refunded?.has(event.paymentId) !== true
  }
  await finish(context, events, (event) => (isWaiting(event) ? null : 'applied'))
}

/** The payment of a debit is stored under the collection's id. */
const readDebitPayments = ({ database }: Context, row: CollectionRow): Promise<ProviderPaymentRow[]> =>
  database.asBorrower(row.borrower_id, (sql) => listLinkPayments(sql, row.borrower_id, [row.collection_id]))

/** Whether the event tells an outcome that the debit has not got yet. A failed one can succeed. */
function awaitsOutcome({ event_type }: StoredEvent, { status }: CollectionRow): boolean {
  if (status === 'presented') return event_type === 'payment.failed' || moneyEvents.has(event_type)
  return status === 'failed' && moneyEvents.has(event_type)
}

/** Stores the outcomes. An event with the outcome null is retried until `retryPeriodMs`. */
async function finish(
  { database, clock }: Context,
  events: readonly StoredEvent[],
  outcomeOf: (event: StoredEvent) => EventOutcome | null,
): Promise<void> {
  const now = clock.now()
  const isExpired = ({ received_at }: StoredEvent) => now.getTime() - received_at.getTime() > retryPeriodMs
  const byOutcome = Map.groupBy(events, (event) => outcomeOf(event) ?? (isExpired(event) ? 'dead' : null))
  if (byOutcome.size === 1 && byOutcome.has(null)) return
  await database.asSystem(async (sql) => {
    for (const [outcome, ended] of byOutcome) if (outcome !== null) await finishEvents(sql, ended, now, outcome)
  })
}

type KnownLink = { link: LinkRow; payments: ProviderPaymentRow[] }

async function readNamedLink(sql: Sql, reference: string): Promise<KnownLink | null> {
  const key = await findLinkByReferenceOrId(sql, reference)
  if (!key) return null
  return { link: await readLink(sql, key), payments: await listLinkPayments(sql, key.borrowerId, [key.paymentIntentId]) }
}

const isOfRefund = ({ event_type, paymentId }: StoredEvent): boolean => event_type.startsWith('refund.') && paymentId !== null
const isOfDispute = ({ event_type }: StoredEvent): boolean => event_type.startsWith('payment.dispute.')

/** True if the link can still change, or the event's payment is not posted yet. */
function needsProviderCheck(event: StoredEvent, { link, payments }: KnownLink): boolean {
  const { event_type, paymentId } = event
  if (awaitsProvider(link)) return true
  if (paymentId === null) return event_type !== `payment_link.${link.status}`
  if (isOfRefund(event) || isOfDispute(event)) return true
  return !payments.some(({ provider_payment_id, transaction_id }) => provider_payment_id === paymentId && transaction_id !== null)
}

const moneyEvents = new Set(['payment_link.paid', 'payment_link.partially_paid', 'payment.captured', 'order.paid'])

const closingEvents = new Set(['payment_link.expired', 'payment_link.cancelled'])

/**
 * True if the provider's answer contains the event's payment, or the end of the link. Until then
 * the event stays open.
 */
function isReflected({ event_type, paymentId }: StoredEvent, link: LinkRow, payments: readonly ProviderPaymentRow[]): boolean {
  if (closingEvents.has(event_type)) return !isPayableLink(link.status)
  if (!moneyEvents.has(event_type)) return true
  return paymentId === null ? payments.length > 0 : payments.some(({ provider_payment_id }) => provider_payment_id === paymentId)
}

/**
 * Fetches payments that events name and their link does not list, such as one that was returned
 * without being captured.
 *
 * @returns the link's payments afterwards.
 */
async function fetchUnlistedPayments(context: Context, link: LinkRow, events: readonly StoredEvent[]): Promise<ProviderPaymentRow[]> {
  const readPayments = () =>
    context.database.asBorrower(link.borrower_id, (sql) => listLinkPayments(sql, link.borrower_id, [link.payment_intent_id]))
  const listed = await readPayments()
  const listedIds = new Set<string | null>(listed.map(({ provider_payment_id }) => provider_payment_id))
  const unlistedIds = new Set(events.flatMap(({ paymentId }) => (paymentId === null || listedIds.has(paymentId) ? [] : [paymentId])))
  for (const paymentId of unlistedIds) {
    const outcome = await context.gateway.fetchPayment(paymentId)
    if (outcome.kind === 'found') await syncPaymentFromProvider(context, outcome.payment, cause)
  }
  return unlistedIds.size === 0 ? listed : readPayments()
}

/**
 * Syncs the refunds that events name; a refund of a payment that is not posted yet waits.
 *
 * @returns the provider's ids of the payments whose refunds the provider reported.
 */
async function syncNamedRefunds(
  context: Context,
  events: readonly StoredEvent[],
  payments: readonly ProviderPaymentRow[],
): Promise<ReadonlySet<string | null>> {
  const named = new Set(events.filter(isOfRefund).map(({ paymentId }) => paymentId))
  const synced = new Set<string | null>()
  for (const payment of payments)
    if (named.has(payment.provider_payment_id) && payment.transaction_id !== null && (await syncRefunds(context, payment)))
      synced.add(payment.provider_payment_id)
  return synced
}

/** Adds a review for a dispute by the payer's bank. */
async function reviewDisputes({ database, clock }: Context, money: DisputedMoney, disputes: readonly StoredEvent[]): Promise<void> {
  if (disputes.length === 0) return
  await database.asBorrower(money.borrower_id, async (sql) => {
    for (const { event_id, event_type, paymentId, disputeId } of disputes)
      await reviewDispute(sql, money, { event: event_type, paymentId, about: disputeId ?? event_id }, clock.now())
  })
}
