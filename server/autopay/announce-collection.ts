import {
  advanceCollection,
  debitMaximum,
  decideDebit,
  lastRetryDay,
  type AutopayRules,
  type DebitDecision,
  type SkipReason,
} from '#domain/autopay.ts'
import { announceAtMs, presentAtMs, redeliverAtMs } from '#domain/autopay-times.ts'
import { dayInIndia, type Day } from '#domain/calendar.ts'
import { loanStateToPost } from '#domain/loan-state.ts'
import type { LoanFacts } from '#domain/loans.ts'
import type { Paise } from '#domain/money.ts'
import type { DebitOrder } from '../adapters/payment-gateway/recurring-gateway.ts'
import type { MoneyContext } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import { findPresentedDebit } from '../ledger/open-links-store.ts'
import { encodeDebitParts } from '../loans/facts-store.ts'
import { lockOwnLoanAndRead, type OwnLoan } from '../loans/own-loan.ts'
import { addCollectionNotice } from './collection-notice.ts'
import {
  changeCollection,
  collectionKeyOf,
  listCollections,
  readCollection,
  selectCollection,
  type CollectionChange,
  type CollectionKey,
  type CollectionRow,
} from './collection-store.ts'
import { skipCollectionRow } from './end-collection.ts'
import { requestMandateEnd } from './end-mandate.ts'
import { selectMandate, type MandateRow } from './mandate-store.ts'
import { planNextCollection } from './plan-collection.ts'
import { syncMandate } from './sync-mandate.ts'

/** The wait before an announcement that is not possible now is tried again. */
const waitMs = 10 * 60_000
/** The wait before a delivery is looked at. */
const deliveryCheckMs = 10 * 60_000

/** A collection under its loan's row lock. */
export type CollectionTransaction = { sql: Sql; own: OwnLoan; mandate: MandateRow; row: CollectionRow; now: Date }

/** Runs a change of a collection under the row lock of its loan. */
export function withCollection<T>(
  { database, clock }: Pick<MoneyContext, 'database' | 'clock'>,
  key: CollectionKey,
  work: (step: CollectionTransaction) => Promise<T>,
): Promise<T> {
  return database.asBorrower(key.borrowerId, async (sql) => {
    const reads = [selectCollection(sql, key), selectMandate(sql, key)] as const
    const { own, rows } = await lockOwnLoanAndRead(sql, key.borrowerId, key.loanId, reads)
    const [[row], [mandate]] = rows
    if (!row || !mandate) throw new Error(`There is no collection ${key.collectionId}`)
    return work({ sql, own, mandate, row, now: clock.now() })
  })
}

export const waitUntil = ({ sql, row }: CollectionTransaction, at: Date): Promise<void> =>
  changeCollection(sql, collectionKeyOf(row), { next_check_at: at })

/** The day from which a debit counts: a first attempt's due date, whenever it is presented. */
export const valueDateOf = ({ attempt, due_on }: CollectionRow, day: Day): Day => (attempt === 1 && due_on < day ? due_on : day)

/**
 * What is to be debited on a day, under the mandate's cap. From its value date on, no late charge
 * arises for what the debit pays; so none that would have arisen since is debited.
 */
export function decideOn(
  { own, mandate, row }: Pick<CollectionTransaction, 'own' | 'mandate' | 'row'>,
  day: Day,
  rules: AutopayRules,
): DebitDecision {
  const cap = debitMaximum({ method: mandate.method, maximumPaise: mandate.max_amount_paise }, rules)
  const decide = (facts: LoanFacts) => decideDebit(facts, loanStateToPost(facts, day), day, cap)
  const decision = decide(own.facts)
  if (decision.kind !== 'debit') return decision
  const dueDates = decision.parts.flatMap((part) => (part.kind === 'instalment' ? [part.dueDate] : []))
  const presented = { from: valueDateOf(row, day), until: null, dueDates }
  return decide({ ...own.facts, presentedDebits: [...(own.facts.presentedDebits ?? []), presented] })
}

/**
 * Announces a planned collection: decides its amount, tells the borrower and, for UPI, has the
 * provider notify them through an order. The order is found by its receipt if the provider did not
 * answer, so that nobody is notified twice.
 */
export async function announceCollection(context: MoneyContext, known: CollectionRow): Promise<void> {
  const key = collectionKeyOf(known)
  const mandateKey = { borrowerId: known.borrower_id, mandateId: known.mandate_id }
  // Before its time, only the cap is checked.
  const isKnown = isEarly(known, context.clock.now()) || (await syncMandate(context, mandateKey)).isKnown
  const intent = await withCollection(context, key, (step) => (isKnown ? decideAnnouncement(context, step) : waitForProvider(step)))
  if (intent === null) return
  await context.failPoint('autopay_announcement_decided')
  const order = await askForOrder(context, intent)
  await context.failPoint('autopay_announcement_made')
  if (order.kind === 'unknown')
    return context.log.warn({ reference: intent.row.reference, reason: order.reason }, 'announcement not confirmed by provider')
  await withCollection(context, key, async (step) => {
    if (step.row.orders !== intent.row.orders || step.row.status !== 'planned') return
    if (order.kind === 'refused') {
      context.log.error({ reference: step.row.reference, reason: order.reason }, 'provider refused to announce a debit')
      return skipAndPlanNext(context, step, 'mandate')
    }
    await storeAnnouncement(step, { order_id: order.order.orderId, next_check_at: new Date(step.now.getTime() + deliveryCheckMs) })
  })
}

async function waitForProvider(step: CollectionTransaction): Promise<null> {
  if (step.row.status === 'planned') await waitUntil(step, new Date(step.now.getTime() + waitMs / 5))
  return null
}

/** The order that a UPI announcement needs. */
type OrderIntent = { row: CollectionRow; tokenId: string }

/** Decides under the loan's row lock. @returns what to ask the provider for; null: nothing. */
async function decideAnnouncement(context: MoneyContext, step: CollectionTransaction): Promise<OrderIntent | null> {
  const { sql, own, mandate, row, now } = step
  if (row.status !== 'planned') return null
  const announcedMs = Math.max(now.getTime(), announceAtMs(row.debit_on))
  const presentAt = new Date(presentAtMs(mandate.method, row.debit_on, announcedMs))
  const debitOn = dayInIndia(presentAt)
  const refusal = await findObstacle(step)
  const decision = decideOn(step, debitOn, context.config.autopay.rules)
  // First, so that nobody who has paid is asked to pay.
  if (decision.kind === 'nothing_due') return (await skipAndPlanNext(context, step, refusal === 'closed' ? 'closed' : 'paid'), null)
  if (refusal === 'wait') return (await waitUntil(step, new Date(now.getTime() + waitMs)), null)
  if (refusal !== null) return (await skipAndPlanNext(context, step, refusal), null)
  if (debitOn > mandate.ends_on) return (await requestMandateEnd(sql, own, mandate, 'expired', now), null)
  if (isAfterRetries(row, debitOn)) return (await skipAndPlanNext(context, step, 'mandate'), null)
  if (decision.kind === 'unknown') return (await waitUntil(step, new Date(now.getTime() + waitMs)), null)
  if (decision.kind === 'above_cap') return (await skipAboveCap(context, step, decision.neededPaise), null)
  if (isEarly(row, now)) return (await waitUntil(step, new Date(announceAtMs(row.debit_on))), null)
  // A retry that is still planned is part of this debit.
  for (const other of await listCollections(sql, row.borrower_id, row.loan_id))
    if (other.status === 'planned' && other.due_on < row.due_on) await skipCollectionRow(sql, own.loan, other, 'superseded', now)
  const isNewOrder = row.orders === 0 || row.amount_paise !== decision.amountPaise
  const change: CollectionChange = {
    amount_paise: decision.amountPaise,
    parts: encodeDebitParts(decision.parts),
    debit_on: debitOn,
    present_at: presentAt,
    ...(mandate.method === 'upi' && { orders: isNewOrder ? row.orders + 1 : row.orders }),
    next_check_at: new Date(now.getTime() + waitMs / 5),
  }
  await changeCollection(sql, collectionKeyOf(row), change)
  const decided = await readCollection(sql, collectionKeyOf(row))
  if (mandate.method === 'upi') return { row: decided, tokenId: mandate.token_id ?? '' }
  // The notice in the portal, with its text message, is the announcement.
  await storeAnnouncement({ ...step, row: decided }, { delivered_at: now, next_check_at: presentAt })
  return null
}

const isEarly = ({ debit_on }: CollectionRow, now: Date): boolean => now.getTime() < announceAtMs(debit_on)

/** Why a collection is not announced now: `wait`, or the reason to skip it. */
async function findObstacle({ sql, own, mandate, row, now }: CollectionTransaction): Promise<'wait' | 'closed' | 'mandate' | null> {
  if (loanStateToPost(own.facts, dayInIndia(now)).status === 'CLOSED') return 'closed'
  if (mandate.status === 'paused') return now.getTime() < redeliverAtMs(row.debit_on) ? 'wait' : 'mandate'
  if (mandate.status !== 'active') return 'mandate'
  const others = await listCollections(sql, row.borrower_id, row.loan_id)
  const isOtherAnnounced = others.some(({ status, collection_id }) => status === 'announced' && collection_id !== row.collection_id)
  return isOtherAnnounced || (await findPresentedDebit(sql, row.borrower_id, row.loan_id)) ? 'wait' : null
}

/** Whether a day is too late for another debit of the same due date. */
export const isAfterRetries = ({ attempt, first_debit_on: firstOn }: CollectionRow, day: Day): boolean =>
  attempt > 1 && day > lastRetryDay(firstOn)

/** A debit that cannot be presented so long after its announcement is given up. */
const postponedMsMax = 5 * 24 * 3_600_000

/** Whether an announced debit may not be moved to a day any more, whatever has delayed it. */
export const isTooLate = ({ row, now }: Pick<CollectionTransaction, 'row' | 'now'>, day: Day): boolean =>
  now.getTime() - (row.announced_at ?? now).getTime() > postponedMsMax || isAfterRetries(row, day)

/** Skips the debit, and plans the one of the next due date. */
export async function skipAndPlanNext({ config }: MoneyContext, step: CollectionTransaction, reason: SkipReason): Promise<void> {
  const { sql, own, mandate, row, now } = step
  await skipCollectionRow(sql, own.loan, row, reason, now)
  await planNextCollection(sql, own, mandate, config.autopay.rules, now)
}

/** Skips a debit for which nothing is due any more. @returns false if something is. */
export async function skipIfPaid(context: MoneyContext, step: CollectionTransaction): Promise<boolean> {
  if (decideOn(step, step.row.debit_on, context.config.autopay.rules).kind !== 'nothing_due') return false
  const isClosed = loanStateToPost(step.own.facts, dayInIndia(step.now)).status === 'CLOSED'
  await skipAndPlanNext(context, step, isClosed ? 'closed' : 'paid')
  return true
}

/** Tells the borrower that the cap is too low, and skips the debit. */
export async function skipAboveCap(context: MoneyContext, step: CollectionTransaction, neededPaise: Paise): Promise<void> {
  const { sql, own, row, now } = step
  await skipAndPlanNext(context, step, 'cap')
  await addCollectionNotice(
    { sql, lan: own.loan.lan, row, now },
    { about: `autopay_cap:${row.collection_id}`, kind: 'autopay_cap_too_low', amountPaise: neededPaise, date: row.due_on },
  )
}

async function storeAnnouncement({ sql, own, row, now }: CollectionTransaction, change: CollectionChange): Promise<void> {
  await changeCollection(sql, collectionKeyOf(row), { ...change, status: advanceCollection(row.status, 'announced'), announced_at: now })
  await addAnnouncement(sql, own, row, now)
}

/** The notice of a debit's amount and day; a debit that moves to another day has another notice. */
export function addAnnouncement(sql: Sql, { loan }: OwnLoan, row: CollectionRow, now: Date): Promise<void> {
  const about = `autopay_announced:${row.collection_id}:${row.debit_on}`
  return addCollectionNotice({ sql, lan: loan.lan, row, now }, { about, kind: 'autopay_announced' })
}

/** Sets when a debit is presented. One that moves to another day has another notice. */
export async function schedulePresentation(
  { sql, own, row, now }: CollectionTransaction,
  presentAt: Date,
  more: { delivered_at?: Date } = {},
): Promise<void> {
  const change = { ...more, present_at: presentAt, debit_on: dayInIndia(presentAt), next_check_at: presentAt }
  await changeCollection(sql, collectionKeyOf(row), change)
  await addAnnouncement(sql, own, { ...row, ...change }, now)
}

/** Each order has a receipt of its own, so that an order is found by it and never mistaken. */
export const receiptOf = ({ reference, orders }: Pick<CollectionRow, 'reference' | 'orders'>): string =>
  orders <= 1 ? reference : `${reference}-${orders}`

type OrderAnswer = { kind: 'made'; order: DebitOrder } | { kind: 'refused'; reason: string } | { kind: 'unknown'; reason: string }

/** Has the provider make an order, unless it has it. */
export async function askForOrder(
  { gateway, config }: MoneyContext,
  { row, tokenId }: { row: CollectionRow; tokenId: string | null },
): Promise<OrderAnswer> {
  const reference = receiptOf(row)
  const found = await gateway.findDebitOrder(reference)
  if (found.kind === 'unknown') return found
  if (found.kind === 'found') return isWanted(found.order, row) ? { kind: 'made', order: found.order } : differs(found.order)
  const notification = tokenId === null || row.present_at === null ? null : { tokenId, paymentAfter: row.present_at }
  const outcome = await gateway.createDebitOrder({
    reference,
    amountPaise: row.amount_paise,
    notification,
    namesToken: config.autopay.namesTokenInOrders,
  })
  if (outcome.kind !== 'created') return outcome
  return isWanted(outcome.order, row) ? { kind: 'made', order: outcome.order } : differs(outcome.order)
}

const isWanted = (order: DebitOrder, row: CollectionRow): boolean =>
  order.amountPaise === row.amount_paise && order.reference === receiptOf(row)
const differs = ({ orderId, amountPaise }: DebitOrder): OrderAnswer => ({
  kind: 'unknown',
  reason: `order ${orderId} has ${amountPaise} paise, which is not what was asked for`,
})
