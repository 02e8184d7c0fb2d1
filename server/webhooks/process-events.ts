import type { Context } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import { syncPaymentFromProvider } from '../payments/links/sync-payment.ts'
import { findNamedLink } from '../payments/find-link.ts'
import { syncRefunds } from '../payments/refunds/sync-refunds.ts'
import { providerPaymentsOf, readLink, type LinkKey, type LinkRow, type ProviderPaymentRow } from '../payments/payment-store.ts'
import { addReview } from '../payments/review-store.ts'
import { isWatched, refreshLink } from '../payments/links/refresh-link.ts'
import { finishEvents, noteEventFailures, type EventOutcome, type StoredEvent } from './inbox-store.ts'

/** An event that is still open so long after it came is kept for the operator and tried no more. */
const givenUpAfterMs = 24 * 3_600_000

/**
 * Works on the stored events of one link: whatever they say, the link is fetched from the provider once and that is applied. So
 * a forged, repeated, late or reordered event can at most make us look once more; one that tells what is known already does
 * not even that.
 */
export async function processEvents(context: Context, reference: string, events: readonly StoredEvent[]): Promise<void> {
  try {
    const outcomes = await applyEvents(context, reference, events)
    await finish(context, events, (event) => outcomes.get(event) ?? null)
  } catch (error) {
    context.log.error({ err: error, reference }, 'webhook events could not be processed')
    await context.database.asSystem((sql) => noteEventFailures(sql, events, String(error)))
    await finish(context, events, () => null)
  }
}

/** Null is not yet: tried again, until the event is a day old. */
async function finish(
  { database, clock }: Context,
  events: readonly StoredEvent[],
  outcomeOf: (event: StoredEvent) => EventOutcome | null,
): Promise<void> {
  const now = clock.now()
  const isGivenUp = ({ received_at }: StoredEvent) => now.getTime() - received_at.getTime() > givenUpAfterMs
  const byOutcome = Map.groupBy(events, (event) => outcomeOf(event) ?? (isGivenUp(event) ? 'dead' : null))
  await database.asSystem(async (sql) => {
    for (const [outcome, ended] of byOutcome) if (outcome !== null) await finishEvents(sql, ended, now, outcome)
  })
}

async function applyEvents(
  context: Context,
  reference: string,
  events: readonly StoredEvent[],
): Promise<ReadonlyMap<StoredEvent, EventOutcome>> {
  const known = await context.database.asSystem(async (sql) => {
    const key = await findNamedLink(sql, reference)
    return key && { key, link: await readLink(sql, key), payments: await paymentsOf(sql, key) }
  })
  if (!known) return new Map(events.map((event) => [event, 'ignored']))
  const { key, link, payments } = known
  const needsProviderCheck = (event: StoredEvent) => isWatched(link) || !isKnown(event, link, payments)
  if (!events.some(needsProviderCheck)) return new Map(events.map((event) => [event, 'applied']))
  await refreshLink(context, link, report)
  await fetchUnlistedPayments(context, key, events)
  const shown = await context.database.asBorrower(key.borrowerId, (sql) => paymentsOf(sql, key))
  const followed = await followNamed(context, events, shown)
  await reviewDisputes(context, link, events)
  const isDone = (event: StoredEvent) => (isOfRefund(event) ? followed.has(event.paymentId) : isReflected(event, shown))
  return new Map(events.filter(isDone).map((event) => [event, 'applied']))
}

const report = { source: 'webhook', actorId: 'razorpay' } as const

const paymentsOf = (sql: Sql, { borrowerId, paymentIntentId }: LinkKey) => providerPaymentsOf(sql, borrowerId, [paymentIntentId])

const isOfRefund = ({ event_type, paymentId }: StoredEvent): boolean => event_type.startsWith('refund.') && paymentId !== null
const isOfDispute = ({ event_type }: StoredEvent): boolean => event_type.startsWith('payment.dispute.')

/** Whether what an event tells of is done: its payment is in the ledger, or the link stands as it says. */
function isKnown(event: StoredEvent, { status }: LinkRow, payments: readonly ProviderPaymentRow[]): boolean {
  const { event_type, paymentId } = event
  if (paymentId === null) return event_type === `payment_link.${status}`
  if (isOfRefund(event) || isOfDispute(event)) return false
  return payments.some(({ provider_payment_id, transaction_id }) => provider_payment_id === paymentId && transaction_id !== null)
}

const promisesMoney = new Set(['payment_link.paid', 'payment_link.partially_paid', 'payment.captured', 'order.paid'])

/** Events that promise money: until the provider's own answer shows it, they stay open. */
function isReflected({ event_type, paymentId }: StoredEvent, payments: readonly ProviderPaymentRow[]): boolean {
  if (!promisesMoney.has(event_type)) return true
  return paymentId === null ? payments.length > 0 : payments.some(({ provider_payment_id }) => provider_payment_id === paymentId)
}

/** A payment that its link does not list, such as one that was sent back without being taken, is asked for by itself. */
async function fetchUnlistedPayments(context: Context, key: LinkKey, events: readonly StoredEvent[]): Promise<void> {
  const listed = await context.database.asBorrower(key.borrowerId, (sql) => paymentsOf(sql, key))
  const isListed = (paymentId: string) => listed.some(({ provider_payment_id }) => provider_payment_id === paymentId)
  for (const paymentId of new Set(events.map((event) => event.paymentId))) {
    if (paymentId === null || isListed(paymentId)) continue
    const outcome = await context.gateway.fetchPayment(paymentId)
    if (outcome.kind === 'found') await syncPaymentFromProvider(context, outcome.payment, report)
  }
}

/** Follows the refunds that events tell of. @returns the payments of which the provider told; a refund of what we do not have yet waits. */
async function followNamed(
  context: Context,
  events: readonly StoredEvent[],
  payments: readonly ProviderPaymentRow[],
): Promise<ReadonlySet<string | null>> {
  const named = new Set(events.filter(isOfRefund).map(({ paymentId }) => paymentId))
  const followed = new Set<string | null>()
  for (const payment of payments)
    if (named.has(payment.provider_payment_id) && payment.transaction_id !== null && (await syncRefunds(context, payment)))
      followed.add(payment.provider_payment_id)
  return followed
}

/** Money that the payer's bank wants back is for a person to see to. */
async function reviewDisputes({ database, clock }: Context, link: LinkRow, events: readonly StoredEvent[]): Promise<void> {
  const disputes = events.filter(isOfDispute)
  if (disputes.length === 0) return
  await database.asBorrower(link.borrower_id, async (sql) => {
    for (const { event_id, event_type, paymentId } of disputes)
      await addReview(
        sql,
        {
          borrowerId: link.borrower_id,
          loanId: link.loan_id,
          paymentIntentId: link.payment_intent_id,
          kind: 'dispute',
          about: event_id,
          detail: { event: event_type, payment: paymentId },
        },
        clock.now(),
      )
  })
}
