import { announceAtMs, plannedPresentAtMs, redeliverAtMs } from '#domain/autopay-times.ts'
import { addDays, dayInIndia, type Day } from '#domain/calendar.ts'
import { minuteMs } from '#domain/durations.ts'
import { loanStateToPost } from '#domain/loan-state.ts'
import type { MoneyContext } from '../context.ts'
import { findPresentedDebit } from '../ledger/open-links-store.ts'
import { encodeDebitParts } from '../loans/facts-store.ts'
import { addDueSoon } from './announce-due.ts'
import { changeCollection, listCollections, readCollection, type CollectionChange, type CollectionRow } from './collection-store.ts'
import { providerRetryMs, waitUntil, withCollection, type CollectionTransaction } from './collection-transaction.ts'
import { announceByOrder, toOrderIntent, type OrderIntent } from './debit-order.ts'
import { decideOn, isGivenUp, lateDaysMax } from './decide-debit.ts'
import { requestMandateEnd } from './end-mandate.ts'
import { mandateCap, type MandateRow } from './mandate-store.ts'
import { storeAnnouncement } from './schedule-presentation.ts'
import { restatePlanned, skipAboveCap, skipAndPlanNext, skipCollectionRow } from './skip-collection.ts'
import { syncMandate } from './sync-mandate.ts'

/** The wait before an announcement that is not possible now is tried again. */
const waitMs = 10 * minuteMs

/**
 * Announces a planned collection: decides its amount, tells the borrower and, for UPI, has the
 * provider notify them through an order. The order is found by its receipt if the provider did not
 * answer, so that nobody is notified twice.
 */
export async function announceCollection(context: MoneyContext, known: CollectionRow): Promise<void> {
  // Before its time, only the cap is checked.
  const isKnown = isEarly(known, context.clock.now()) || (await syncMandate(context, known)).isKnown
  const intent = await withCollection(context, known, (step) => decideAnnouncement(context, step, isKnown))
  if (intent !== null) await announceByOrder(context, intent)
}

/**
 * Decides under the loan's row lock.
 *
 * @param isKnown whether the provider has told the mandate's status.
 * @returns what to ask the provider for; null: nothing.
 */
async function decideAnnouncement(context: MoneyContext, step: CollectionTransaction, isKnown: boolean): Promise<OrderIntent | null> {
  const { sql, mandate, row, now } = step
  if (row.status !== 'planned') return null
  const presentAt = new Date(plannedPresentAtMs(mandate.method, row.debit_on, now.getTime()))
  const debitOn = dayInIndia(presentAt)
  const refusal = await findObstacle(step, isKnown)
  const decision = decideOn(step, debitOn, mandateCap(mandate, context.config.autopay.rules))
  // This comes first, so that nobody who has paid is asked to pay. Until the announcement the
  // collection stays planned: the payment can still be reversed.
  if (decision.kind === 'nothing_due') {
    if (isEarly(row, now) && (refusal === null || isPassing(refusal))) return waitUntil(step, new Date(announceAtMs(row.debit_on)))
    return skipAndPlanNext(context, step, refusal === 'closed' ? 'closed' : 'paid')
  }
  const isOver = isGivenUp(row, debitOn)
  const skip = async (reason: 'closed' | 'mandate') =>
    skipAndPlanNext(context, { ...step, row: await restatePlanned(sql, row, decision) }, reason)
  if (refusal !== null && isPassing(refusal)) {
    if (refusal === 'provider' && decision.kind !== 'unknown' && isOver && isSilent(mandate, now)) return skip('mandate')
    // While a debit is presented, nothing can be paid in the portal.
    if (refusal !== 'presented') await remindIfLate(step, debitOn)
    return waitUntil(step, new Date(now.getTime() + (isKnown ? waitMs : providerRetryMs)))
  }
  if (refusal !== null) return skip(refusal)
  if (debitOn > mandate.ends_on) {
    await requestMandateEnd(step, 'expired')
    return null
  }
  // Nor while the loan is checked. The debit is announced afterwards, however late, and its money
  // counts from the due date.
  if (decision.kind === 'unknown') return waitUntil(step, new Date(now.getTime() + waitMs))
  if (isOver && (row.attempt > 1 || row.orders > 0)) return skip('mandate')
  if (decision.kind === 'above_cap') return skipAboveCap(context, step, decision)
  if (isEarly(row, now)) return waitUntil(step, new Date(announceAtMs(row.debit_on)))
  // An order was asked for before, and is not confirmed.
  if (row.orders > 0) await remindIfLate(step, debitOn)
  // A retry that is still planned is part of this debit.
  for (const other of await listCollections(sql, row.borrower_id, row.loan_id))
    if (other.status === 'planned' && other.due_on < row.due_on) await skipCollectionRow({ ...step, row: other }, 'superseded')
  const isNewOrder = row.orders === 0 || row.amount_paise !== decision.amountPaise
  const change: CollectionChange = {
    amount_paise: decision.amountPaise,
    parts: encodeDebitParts(decision.parts),
    debit_on: debitOn,
    present_at: presentAt,
    ...(mandate.method === 'upi' && { orders: isNewOrder ? row.orders + 1 : row.orders }),
    next_check_at: new Date(now.getTime() + providerRetryMs),
  }
  await changeCollection(sql, row, change)
  const decided = await readCollection(sql, row)
  if (mandate.method === 'upi') return toOrderIntent(decided, mandate)
  // The notice in the portal, with its text message, is the announcement.
  await storeAnnouncement({ ...step, row: decided }, { delivered_at: now, next_check_at: presentAt })
  return null
}

/**
 * The instalment was not announced as due, because its debit pays it. A debit that cannot be
 * announced for the due date any more may never be: the borrower can pay in time.
 */
async function remindIfLate({ sql, own, row, now }: CollectionTransaction, debitOn: Day): Promise<void> {
  if (debitOn > row.due_on && row.due_on >= dayInIndia(now)) await addDueSoon(sql, own, row.due_on, now)
}

const isEarly = ({ debit_on }: CollectionRow, now: Date): boolean => now.getTime() < announceAtMs(debit_on)

/**
 * What a collection waits for: `presented`, the outcome of an earlier debit; `provider`, its
 * answer; `wait`, the end of a pause or of another announced debit.
 */
const passing = ['presented', 'provider', 'wait'] as const
type Passing = (typeof passing)[number]
type Obstacle = Passing | 'closed' | 'mandate'

const isPassing = (obstacle: Obstacle): obstacle is Passing => (passing as readonly Obstacle[]).includes(obstacle)

/** Why a collection is not announced now: what it waits for, or the reason to skip it. */
async function findObstacle({ sql, own, mandate, row, now }: CollectionTransaction, isKnown: boolean): Promise<Obstacle | null> {
  if (loanStateToPost(own.facts, dayInIndia(now)).status === 'CLOSED') return 'closed'
  if (isKnown && mandate.status === 'paused') return now.getTime() < redeliverAtMs(row.debit_on) ? 'wait' : 'mandate'
  if (isKnown && mandate.status !== 'active') return 'mandate'
  if (await findPresentedDebit(sql, row.borrower_id, row.loan_id)) return 'presented'
  if (!isKnown) return 'provider'
  const others = await listCollections(sql, row.borrower_id, row.loan_id)
  return others.some(({ status, collection_id }) => status === 'announced' && collection_id !== row.collection_id) ? 'wait' : null
}

/**
 * Whether the provider has not answered for days. Else a debit is late for another reason, and one
 * answer that fails does not end it.
 */
const isSilent = ({ provider_checked_at: heardAt, created_at }: MandateRow, now: Date): boolean =>
  dayInIndia(now) >= addDays(dayInIndia(heardAt ?? created_at), lateDaysMax)
