import { uuidv7 } from 'uuidv7'
import { firstDueFrom } from '#domain/autopay-offer.ts'
import { capNoticeDays } from '#domain/autopay-times.ts'
import { addDays, dayInIndia, startOfDayInIndiaMs, type Day } from '#domain/calendar.ts'
import { hourMs } from '#domain/durations.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { paise } from '#domain/money.ts'
import type { MoneyContext } from '../context.ts'
import { encodeDebitParts } from '../loans/facts-store.ts'
import { addCollection, listCollections, type CollectionRow, type NewCollection } from './collection-store.ts'
import type { MandateTransaction } from './collection-transaction.ts'
import { expectDebit, lateDaysMax } from './decide-debit.ts'
import { mandateCap } from './mandate-store.ts'

/**
 * Plans the next debit of a mandate that is active or paused: for the first due date that no
 * collection was planned for. The caller holds the loan's row lock.
 */
export async function planNextCollection(context: Pick<MoneyContext, 'config'>, step: MandateTransaction): Promise<void> {
  const { sql, own, mandate, now } = step
  const { loan, facts } = own
  if (mandate.active_at === null || (mandate.status !== 'active' && mandate.status !== 'paused')) return
  const known = await listCollections(sql, loan.borrower_id, loan.loan_id)
  if (known.some(isFirstOfDueDate)) return
  const today = dayInIndia(now)
  const state = loanStateDuring(facts, today)
  if (state.status !== 'ACTIVE' && state.status !== 'OVERDUE') return
  // A debit that another mandate had only planned is planned anew.
  const handled = known
    .filter(({ mandate_id, presented_at }) => mandate_id === mandate.mandate_id || presented_at !== null)
    .map(({ due_on }) => due_on)
    .toSorted()
    .at(-1)
  const activeOn = dayInIndia(mandate.active_at)
  const earliest = addDays(today, -lateDaysMax)
  const firstDueOn = firstDueFrom(state, activeOn)
  const dueOn = state.rows.find(
    ({ dueDate, status }) =>
      status !== 'Paid' &&
      firstDueOn !== null &&
      dueDate >= firstDueOn &&
      dueDate >= earliest &&
      (handled === undefined || dueDate > handled),
  )?.dueDate
  if (dueOn === undefined) return
  await insertCollection(context, step, { dueOn, attempt: 1, plannedBy: 'system', debitOn: dueOn, firstDebitOn: dueOn })
}

/** A planned or announced collection that is no retry: the next due date is planned already. */
const isFirstOfDueDate = ({ status, attempt }: CollectionRow): boolean => attempt === 1 && (status === 'planned' || status === 'announced')

/** What a new collection is planned for. */
type CollectionPlan = { dueOn: Day; attempt: number; plannedBy: string; debitOn: Day; firstDebitOn: Day }

/**
 * Stores a planned collection with what would be debited as things are. The caller holds the
 * loan's row lock.
 *
 * @returns its id.
 */
export async function insertCollection(
  { config }: Pick<MoneyContext, 'config'>,
  { sql, own: { loan, facts }, mandate, now }: MandateTransaction,
  { dueOn, attempt, plannedBy, debitOn, firstDebitOn }: CollectionPlan,
): Promise<string> {
  const collectionId = uuidv7()
  const planned = { attempt, due_on: dueOn, debit_on: debitOn }
  const decision = expectDebit({ own: { facts }, row: planned }, dayInIndia(now), mandateCap(mandate, config.autopay.rules))
  // The amount is an estimate until the announcement decides; a stored one is positive.
  const expected = decision.kind === 'debit' || decision.kind === 'above_cap' ? decision : { amountPaise: paise(1n), parts: [] }
  const row: NewCollection = {
    borrower_id: loan.borrower_id,
    collection_id: collectionId,
    loan_id: loan.loan_id,
    mandate_id: mandate.mandate_id,
    reference: formatReference('KC', collectionId),
    due_on: dueOn,
    attempt,
    planned_by: plannedBy,
    first_debit_on: firstDebitOn,
    debit_on: debitOn,
    amount_paise: expected.amountPaise,
    parts: encodeDebitParts(expected.parts),
    next_check_at: new Date(capCheckMs(debitOn)),
  }
  await addCollection(sql, row, now)
  return collectionId
}

/** The borrower learns at 10:00, seven days before, that the cap is too low. */
const capCheckMs = (debitOn: Day): number => startOfDayInIndiaMs(addDays(debitOn, -capNoticeDays)) + 10 * hourMs

/** A unique reference within the provider's limit of 40 characters. */
export const formatReference = (prefix: 'KM' | 'KC', id: string): string => `${prefix}${id.replaceAll('-', '')}`
