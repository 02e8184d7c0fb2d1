import { advanceCollection } from '#domain/autopay.ts'
import { expectedByMs } from '#domain/autopay-times.ts'
import { addDays, dayInIndia, endOfDayInIndiaMs } from '#domain/calendar.ts'
import { loanStateToPost } from '#domain/loan-state.ts'
import { findUserById } from '../auth/user-store.ts'
import type { MoneyContext } from '../context.ts'
import { findOpenLink } from '../ledger/open-links-store.ts'
import { reconcileLedgerToFacts } from '../ledger/reconcile-ledger.ts'
import { lockOwnLoan } from '../loans/own-loan.ts'
import { askForOrder, decideOn, skipAboveCap, valueDateOf, waitUntil, withCollection, type CollectionStep } from './announce-collection.ts'
import { changeCollection, collectionKeyOf, readCollection, type CollectionRow } from './collection-store.ts'
import { skipCollectionRow } from './end-collection.ts'
import { failCollection } from './fail-collection.ts'
import { insertCollection } from './plan-collection.ts'
import { syncMandate } from './sync-mandate.ts'

/** The wait for the end of a payment link, and for a provider that does not answer. */
const linkWaitMs = 60_000
const providerWaitMs = 60_000
/** The first look at the outcome. */
const outcomeCheckMs = 60_000

/** What the provider is asked for. */
type DebitIntent = { row: CollectionRow; orderId: string; tokenId: string; customerId: string }

/**
 * Presents an announced collection: checks once more that the mandate is active and that what is
 * due is what was announced, stores that it is presented, and only then asks the provider, once.
 * What became of a request without an answer is found by its order (sync-collection.ts).
 */
export async function presentCollection(context: MoneyContext, known: CollectionRow): Promise<void> {
  const key = collectionKeyOf(known)
  const { isKnown } = await syncMandate(context, { borrowerId: known.borrower_id, mandateId: known.mandate_id })
  const hasOrder = isKnown && (await ensureOrder(context, known))
  const intent = await withCollection(context, key, (step) => (hasOrder ? decidePresentation(context, step) : waitForProvider(step)))
  if (intent !== null) await requestOnce(context, intent)
}

async function waitForProvider(step: CollectionStep): Promise<null> {
  if (step.row.status === 'announced') await waitUntil(step, new Date(step.now.getTime() + providerWaitMs))
  return null
}

/** An eNACH debit has no order before. It reaches nobody, so it may be made before the decision. */
async function ensureOrder(context: MoneyContext, known: CollectionRow): Promise<boolean> {
  if (known.order_id !== null) return true
  const key = collectionKeyOf(known)
  const row = await withCollection(context, key, async ({ sql, row }) => {
    await changeCollection(sql, key, { orders: Math.max(1, row.orders) })
    return readCollection(sql, key)
  })
  const order = await askForOrder(context, { row, tokenId: null })
  if (order.kind !== 'made') {
    context.log.warn({ reference: row.reference, reason: order.reason }, 'order of a debit not confirmed by provider')
    return false
  }
  await withCollection(context, key, ({ sql }) => changeCollection(sql, key, { order_id: order.order.orderId }))
  return true
}

/**
 * Decides under the loan's row lock, where no payment link can be made at the same time.
 *
 * @returns the intent if the collection is presented now; null if it waits, is skipped or is
 * announced anew.
 */
async function decidePresentation(context: MoneyContext, step: CollectionStep): Promise<DebitIntent | null> {
  const { sql, own, mandate, row, now } = step
  const { rules, holidays } = context.config.autopay
  if (row.status !== 'announced' || row.present_at === null || row.present_at > now || row.order_id === null) return null
  const today = dayInIndia(now)
  if (loanStateToPost(own.facts, today).status === 'CLOSED') return (await skipCollectionRow(sql, own.loan, row, 'closed', now), null)
  if (mandate.status !== 'active') return (await skipCollectionRow(sql, own.loan, row, 'mandate', now), null)
  if (await findOpenLink(sql, row.borrower_id, row.loan_id)) return waitForLink(step)
  const decision = decideOn(step, today, rules)
  if (decision.kind === 'nothing_due') return (await skipCollectionRow(sql, own.loan, row, 'paid', now), null)
  if (decision.kind === 'above_cap') return (await skipAboveCap(step, decision.neededPaise), null)
  if (decision.amountPaise !== row.amount_paise) return announceAnew(context, step)
  const { token_id, customer_id } = mandate
  if (token_id === null || customer_id === null) throw new Error(`Mandate ${mandate.reference} is active and has no token`)
  const key = collectionKeyOf(row)
  await changeCollection(sql, key, {
    status: advanceCollection(row.status, 'presented'),
    presented_at: now,
    value_date: valueDateOf(row, today),
    expected_by: new Date(expectedByMs(mandate.method, now.getTime(), holidays)),
    next_check_at: new Date(now.getTime() + outcomeCheckMs),
    checks: 0,
  })
  // A charge that arose since the value date is taken back.
  await reconcileLedgerToFacts(sql, await lockOwnLoan(sql, row.borrower_id, row.loan_id), now, 'system')
  return { row: await readCollection(sql, key), orderId: row.order_id, tokenId: token_id, customerId: customer_id }
}

/**
 * Waits for the end of the link. A debit is announced for two days later; on the day after that, it
 * is skipped.
 */
async function waitForLink(step: CollectionStep): Promise<null> {
  const { sql, own, row, now } = step
  const announcedOn = dayInIndia(row.announced_at ?? now)
  if (now.getTime() > endOfDayInIndiaMs(addDays(announcedOn, 3))) await skipCollectionRow(sql, own.loan, row, 'link_open', now)
  else await waitUntil(step, new Date(now.getTime() + linkWaitMs))
  return null
}

/** What is due is not what was announced: another collection is planned, and announced at once. */
async function announceAnew({ config }: MoneyContext, { sql, own, mandate, row, now }: CollectionStep): Promise<null> {
  await skipCollectionRow(sql, own.loan, row, 'amount_changed', now)
  const debitOn = addDays(dayInIndia(now), 1)
  const plan = { dueOn: row.due_on, attempt: row.attempt, plannedBy: row.planned_by, debitOn, firstDebitOn: row.first_debit_on }
  const collectionId = await insertCollection(sql, own, mandate, config.autopay.rules, plan, now)
  await changeCollection(sql, { borrowerId: row.borrower_id, collectionId }, { next_check_at: now })
  return null
}

/** Asks the provider for the debit. This is the only place, and it is never repeated. */
async function requestOnce(context: MoneyContext, { row, orderId, tokenId, customerId }: DebitIntent): Promise<void> {
  const { database, gateway, config, log } = context
  const key = collectionKeyOf(row)
  const user = await database.asSystem((sql) => findUserById(sql, row.borrower_id))
  await context.failPoint('autopay_debit_decided')
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
      return withCollection(context, key, async ({ sql, row: current }) => {
        if (current.provider_payment_id === null) await changeCollection(sql, key, { provider_payment_id: outcome.paymentId })
      })
    case 'refused':
      log.error({ reference: row.reference, reason: outcome.reason }, 'provider refused a debit')
      return failCollection(context, key, 'refused')
    case 'unknown':
      log.warn({ reference: row.reference, reason: outcome.reason }, 'debit not confirmed by provider')
  }
}
