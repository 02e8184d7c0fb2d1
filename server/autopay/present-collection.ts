import { advanceCollection, type DebitPart } from '#domain/autopay.ts'
import { expectedByMs, postponedToMs, presentAfterDeliveryAtMs } from '#domain/autopay-times.ts'
import { addDays, dayInIndia, endOfDayInIndiaMs, type Day } from '#domain/calendar.ts'
import { minuteMs } from '#domain/durations.ts'
import { loanStateToPost } from '#domain/loan-state.ts'
import type { Debit } from '../adapters/payment-gateway/recurring-gateway.ts'
import { findUserById } from '../auth/user-store.ts'
import type { MoneyContext } from '../context.ts'
import { noFurtherCheck } from '../jobs/back-off.ts'
import { findLinkAwaitingProvider, findOpenLink, requestLinkCancel } from '../ledger/open-links-store.ts'
import { reconcileLedgerToFacts } from '../ledger/reconcile-ledger.ts'
import { decodeDebitParts, encodeDebitParts } from '../loans/facts-store.ts'
import { lockOwnLoan } from '../loans/own-loan.ts'
import { changeCollection, listCollections, readCollection, type CollectionKey, type CollectionRow } from './collection-store.ts'
import { waitUntil, withCollection, type CollectionTransaction } from './collection-transaction.ts'
import { askForOrder } from './debit-order.ts'
import { decideOn, isAfterRetries, isTooLate, valueDateOf } from './decide-debit.ts'
import { failCollection } from './fail-collection.ts'
import { mandateCap } from './mandate-store.ts'
import { insertCollection } from './plan-collection.ts'
import { schedulePresentation } from './schedule-presentation.ts'
import { skipAboveCap, skipAndPlanNext, skipCollectionRow } from './skip-collection.ts'
import { pickDebit, requestMsMax, syncCollection } from './sync-collection.ts'
import { syncMandate } from './sync-mandate.ts'

/** The wait for the end of a payment link, and for a provider that does not answer. */
const linkWaitMs = 60_000
const providerWaitMs = 60_000
/** The wait while what a loan owes cannot be computed. */
const unknownLoanWaitMs = 30 * minuteMs
/** The first look at the outcome. */
const outcomeCheckMs = 60_000

/** What the provider is asked for. */
type DebitIntent = { row: CollectionRow; orderId: string; tokenId: string; customerId: string }

/**
 * Presents an announced collection: checks once more that the mandate is active, that no debit that
 * failed has succeeded late, and that what is due is what was announced. It stores that the
 * collection is presented, and only then asks the provider, once.
 * What became of a request without an answer is found by its order (sync-collection.ts). A debit
 * that the order has already is followed instead: the database was restored to a time before it.
 */
export async function presentCollection(context: MoneyContext, known: CollectionRow): Promise<void> {
  // First: a mandate that is over would skip the collection.
  if (await followIfRequested(context, known)) return
  const isReady =
    (await syncFailedDebits(context, known)) && (await syncMandate(context, known)).isKnown && (await ensureOrder(context, known))
  // An order that was only found now can have a debit too.
  if (isReady && known.order_id === null && (await followIfRequested(context, known))) return
  const intent = await withCollection(context, known, (step) => decidePresentation(context, step, isReady))
  if (intent !== null) await requestOnce(context, intent)
}

/**
 * Follows a debit that the provider has of the order already, as after a restore of the database.
 * While the provider does not answer, the collection waits: a skip would be final.
 *
 * @returns false if the order has no debit.
 */
async function followIfRequested(context: MoneyContext, key: CollectionKey): Promise<boolean> {
  const requested = await findRequestedDebit(context, key)
  if (requested === null) return false
  await withCollection(context, key, async (step) => {
    if (step.row.status !== 'announced') return
    if (requested === 'unknown') await waitUntil(step, new Date(step.now.getTime() + providerWaitMs))
    else await followRequested(context, step, requested)
  })
  return true
}

async function findRequestedDebit(context: MoneyContext, key: CollectionKey): Promise<Debit | null | 'unknown'> {
  const { order_id: orderId, reference } = await context.database.asBorrower(key.borrower_id, (sql) => readCollection(sql, key))
  const listed = orderId === null ? ({ kind: 'absent' } as const) : await context.gateway.debitsOfOrder(orderId)
  if (listed.kind === 'found') return pickDebit(listed.debits) ?? null
  if (listed.kind === 'absent') return null
  context.log.warn({ reference, reason: listed.reason }, 'debit not available from provider')
  return 'unknown'
}

/**
 * Whatever has changed since, the debit is at the bank: its outcome decides. A payment link made
 * meanwhile would be paid as well.
 */
async function followRequested(context: MoneyContext, step: CollectionTransaction, { paymentId }: Debit): Promise<void> {
  const { sql, row, now } = step
  context.log.error({ reference: row.reference, payment: paymentId }, 'debit was requested before: followed, not repeated')
  const link = await findOpenLink(sql, row.borrower_id, row.loan_id)
  if (link) await requestLinkCancel(sql, link, { at: now, by: 'system', nextCheckAt: now })
  await storePresented(context, step, paymentId)
}

/**
 * Looks for late successes of the loan's debits that failed, so that a retry does not debit again
 * what was debited since their last look.
 *
 * @returns false if the provider did not answer.
 */
async function syncFailedDebits(context: MoneyContext, { borrower_id, loan_id }: CollectionRow): Promise<boolean> {
  const rows = await context.database.asBorrower(borrower_id, (sql) => listCollections(sql, borrower_id, loan_id))
  const canSucceedLate = ({ status, next_check_at }: CollectionRow) => status === 'failed' && next_check_at < noFurtherCheck
  for (const row of rows.filter(canSucceedLate)) if (!(await syncCollection(context, row))) return false
  return true
}

/** An eNACH debit has no order before. It reaches nobody, so it may be made before the decision. */
async function ensureOrder(context: MoneyContext, known: CollectionRow): Promise<boolean> {
  if (known.order_id !== null) return true
  const row = await withCollection(context, known, async ({ sql, row: current }) => {
    await changeCollection(sql, current, { orders: Math.max(1, current.orders) })
    return readCollection(sql, current)
  })
  const order = await askForOrder(context, { row, tokenId: null })
  if (order.kind === 'unknown') {
    context.log.warn({ reference: row.reference, reason: order.reason }, 'order of a debit not confirmed by provider')
    return false
  }
  if (order.kind === 'refused') {
    context.log.error({ reference: row.reference, reason: order.reason }, 'provider refused the order of a debit')
    await withCollection(context, row, async (step) => {
      // Another worker may have an order, and have asked for the debit with it.
      if (step.row.status === 'announced' && step.row.order_id === null) await skipAndPlanNext(context, step, 'mandate')
    })
    return false
  }
  await withCollection(context, row, async ({ sql, row: current }) => {
    // Another worker may have stored an order meanwhile, and asked for the debit with it.
    if (current.status === 'announced' && current.order_id === null) await changeCollection(sql, current, { order_id: order.order.orderId })
  })
  return true
}

/**
 * Decides under the loan's row lock, where no payment link can be made at the same time.
 *
 * @param isReady false while the provider does not answer what must be known before.
 * @returns the intent if the collection is presented now; null if it waits, is skipped or is
 * announced anew.
 */
async function decidePresentation(context: MoneyContext, step: CollectionTransaction, isReady: boolean): Promise<DebitIntent | null> {
  const { sql, own, mandate, row, now } = step
  const { rules } = context.config.autopay
  if (row.status !== 'announced' || row.present_at === null || row.present_at > now) return null
  const today = dayInIndia(now)
  if (loanStateToPost(own.facts, today).status === 'CLOSED') return skipAndPlanNext(context, step, 'closed')
  // A pause of the app may be over: the provider tells.
  const isStatusKnown = isReady || mandate.app_paused_at === null
  if (mandate.status !== 'active' && isStatusKnown) return skipAndPlanNext(context, step, 'mandate')
  const decision = decideOn(step, today, mandateCap(mandate, rules))
  if (decision.kind === 'nothing_due') return skipAndPlanNext(context, step, 'paid')
  if (decision.kind === 'unknown') return waitForFigures(context, step, today)
  // Checked here, because the provider can have taken past the window, or the day, to answer, and
  // the delivery can have become known only when the time had come.
  const presentAt = soonestPresentation(step, row.present_at)
  if (presentAt > now) return postpone(context, step, presentAt)
  if (!isReady || row.order_id === null) return waitUntil(step, new Date(now.getTime() + providerWaitMs))
  if (await findLinkAwaitingProvider(sql, row.borrower_id, row.loan_id)) return waitForLink(context, step)
  if (decision.kind === 'above_cap') return skipAboveCap(context, step, decision)
  if (!paysTheSame(decision.parts, decodeDebitParts(row.parts))) return announceAnew(context, step)
  const { token_id, customer_id } = mandate
  if (token_id === null || customer_id === null) throw new Error(`Mandate ${mandate.reference} is active and has no token`)
  return { row: await storePresented(context, step, null), orderId: row.order_id, tokenId: token_id, customerId: customer_id }
}

/** When the window is open, and the notice was delivered long enough before. */
function soonestPresentation({ mandate, row, now }: CollectionTransaction, announced: Date): Date {
  const [nowMs, deliveredMs] = [now.getTime(), (row.delivered_at ?? now).getTime()]
  const announcedFor = { debitOn: row.debit_on, presentMs: announced.getTime() }
  return new Date(
    Math.max(
      postponedToMs(mandate.method, row.debit_on, nowMs),
      presentAfterDeliveryAtMs(mandate.method, announcedFor, deliveredMs, nowMs),
    ),
  )
}

/** @param paymentId of a debit that was requested before, on the day that was announced. */
async function storePresented({ config }: MoneyContext, step: CollectionTransaction, paymentId: string | null): Promise<CollectionRow> {
  const { sql, mandate, row, now } = step
  const today = dayInIndia(now)
  await changeCollection(sql, row, {
    status: advanceCollection(row.status, 'presented'),
    presented_at: now,
    value_date: valueDateOf(row, paymentId !== null && row.debit_on < today ? row.debit_on : today),
    expected_by: new Date(expectedByMs(mandate.method, now.getTime(), config.autopay.holidays)),
    next_check_at: new Date(now.getTime() + outcomeCheckMs),
    checks: 0,
    ...(paymentId !== null && { provider_payment_id: paymentId }),
  })
  // A charge that arose since the value date is taken back.
  await reconcileLedgerToFacts(sql, await lockOwnLoan(sql, row.borrower_id, row.loan_id), now, 'system')
  return readCollection(sql, row)
}

/** The same amount can be due for another instalment, if the announced one is paid meanwhile. */
const paysTheSame = (due: readonly DebitPart[], announced: readonly DebitPart[]): boolean =>
  encodeDebitParts(due) === encodeDebitParts(announced)

/** Waits until what is due can be computed; no other day is announced before. */
async function waitForFigures(context: MoneyContext, step: CollectionTransaction, today: Day): Promise<null> {
  if (isTooLate(step, today)) return skipAndPlanNext(context, step, 'mandate')
  return waitUntil(step, new Date(step.now.getTime() + unknownLoanWaitMs))
}

/** Announces another day, up to five days after the first announcement and while a retry may be. */
async function postpone(context: MoneyContext, step: CollectionTransaction, presentAt: Date): Promise<null> {
  if (isTooLate(step, dayInIndia(presentAt))) return skipAndPlanNext(context, step, 'mandate')
  return schedulePresentation(step, presentAt)
}

/**
 * Waits for the end of the link. A debit is announced for two days later and waits one day more: it
 * is skipped from the fourth day after its announcement.
 */
async function waitForLink(context: MoneyContext, step: CollectionTransaction): Promise<null> {
  const { row, now } = step
  const announcedOn = dayInIndia(row.announced_at ?? now)
  if (now.getTime() > endOfDayInIndiaMs(addDays(announcedOn, 3))) return skipAndPlanNext(context, step, 'link_open')
  return waitUntil(step, new Date(now.getTime() + linkWaitMs))
}

/** What is due is not what was announced: another collection is planned, and announced at once. */
async function announceAnew(context: MoneyContext, step: CollectionTransaction): Promise<null> {
  const { sql, row, now } = step
  const debitOn = addDays(dayInIndia(now), 1)
  if (isAfterRetries(row, debitOn)) return skipAndPlanNext(context, step, 'mandate')
  await skipCollectionRow(step, 'amount_changed')
  const plan = { dueOn: row.due_on, attempt: row.attempt, plannedBy: row.planned_by, debitOn, firstDebitOn: row.first_debit_on }
  const collectionId = await insertCollection(context, step, plan)
  await changeCollection(sql, { borrower_id: row.borrower_id, collection_id: collectionId }, { next_check_at: now })
  return null
}

/**
 * Asks the provider for the debit. This is the only place, and it is never repeated. A process that
 * was stopped meanwhile does not ask late: another one may have announced another debit since.
 */
async function requestOnce(context: MoneyContext, { row, orderId, tokenId, customerId }: DebitIntent): Promise<void> {
  const { database, gateway, config, clock, log } = context
  const user = await database.asSystem((sql) => findUserById(sql, row.borrower_id))
  await context.failPoint('autopay_debit_decided')
  if (row.presented_at === null || clock.now().getTime() - row.presented_at.getTime() > requestMsMax)
    return log.error({ reference: row.reference }, 'debit not requested: its time is over')
  const outcome = await gateway.requestDebit({
    orderId,
    tokenId,
    customerId,
    customer: { email: user?.email ?? config.autopay.email, phone: user?.phone ?? '' },
    amountPaise: row.amount_paise,
    reference: row.reference,
    description: 'Loan instalment',
  })
  await context.failPoint('autopay_debit_requested')
  switch (outcome.kind) {
    case 'requested':
      return withCollection(context, row, async ({ sql, row: current }) => {
        if (current.provider_payment_id === null) await changeCollection(sql, current, { provider_payment_id: outcome.paymentId })
      })
    case 'refused':
      log.error({ reference: row.reference, reason: outcome.reason }, 'provider refused a debit')
      return failCollection(context, row, 'refused')
    case 'unknown':
      log.warn({ reference: row.reference, reason: outcome.reason }, 'debit not confirmed by provider')
  }
}
