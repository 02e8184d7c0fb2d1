import { sql as raw, type Kysely } from 'kysely'
import { uuidv7 } from 'uuidv7'
import type { LinkStatus } from '#domain/payment-links.ts'
import type { Sql } from '../../database/connect.ts'
import { executeDeferred, executeTogether, lockFound, statement } from '../../database/statement.ts'
import type { DB } from '../../database/schema.generated.ts'
import { linkColumns, type LinkRow } from '../../ledger/open-links-store.ts'
import type { StoredQuote } from '../quote.ts'

export type LinkKey = { borrowerId: string; paymentIntentId: string }

export const keyOf = (link: Pick<LinkRow, 'borrower_id' | 'payment_intent_id'>): LinkKey => ({
  borrowerId: link.borrower_id,
  paymentIntentId: link.payment_intent_id,
})

export async function addLink(sql: Sql, link: LinkRow & { quote: StoredQuote }): Promise<void> {
  await sql
    .insertInto('payment_links')
    .values({ ...link, quote: JSON.stringify(link.quote) })
    .execute()
  await sql
    .insertInto('payment_references')
    .values({ reference: link.reference, borrower_id: link.borrower_id, payment_intent_id: link.payment_intent_id })
    .execute()
}

/** Lists the creation times of a session's links after `since`, oldest first. */
export async function listSessionLinkTimes(sql: Sql, borrowerId: string, sessionId: string, since: Date): Promise<Date[]> {
  const rows = await sql
    .selectFrom('payment_links')
    .select('created_at')
    .where('borrower_id', '=', borrowerId)
    .where('session_id', '=', sessionId)
    .where('created_at', '>', since)
    .orderBy('created_at')
    .execute()
  return rows.map(({ created_at }) => created_at)
}

/** The latest links of a loan that exist at the provider, newest first. */
export async function listShownLinks(sql: Sql, borrowerId: string, loanId: string, limit: number): Promise<LinkRow[]> {
  return sql
    .selectFrom('payment_links')
    .select(linkColumns)
    .where('borrower_id', '=', borrowerId)
    .where('loan_id', '=', loanId)
    .where('status', 'not in', ['creating', 'refused'])
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
}

export const selectLinkByProviderId = (sql: Kysely<DB>, borrowerId: string, paymentLinkId: string) =>
  sql.selectFrom('payment_links').select(linkColumns).where('borrower_id', '=', borrowerId).where('payment_link_id', '=', paymentLinkId)

export const findLinkByProviderId = (sql: Sql, borrowerId: string, paymentLinkId: string): Promise<LinkRow | undefined> =>
  selectLinkByProviderId(sql, borrowerId, paymentLinkId).executeTakeFirst()

/** Finds a link of any borrower by our reference or by the provider's link id. */
export async function findLinkByReferenceOrId(sql: Sql, name: string): Promise<LinkKey | undefined> {
  const row = name.startsWith('plink_')
    ? await sql
        .selectFrom('payment_links')
        .select(['borrower_id', 'payment_intent_id'])
        .where('payment_link_id', '=', name)
        .executeTakeFirst()
    : await sql
        .selectFrom('payment_references')
        .select(['borrower_id', 'payment_intent_id'])
        .where('reference', '=', name)
        .executeTakeFirst()
  return row && keyOf(row)
}

/** The provider's id of the link that received money; null for the money of a debit. */
export async function findPaymentLinkId(sql: Sql, key: LinkKey): Promise<string | null> {
  const row = await selectLink(sql, key).executeTakeFirst()
  return row?.payment_link_id ?? null
}

export const readLink = (sql: Sql, key: LinkKey): Promise<LinkRow> => selectLink(sql, key).executeTakeFirstOrThrow()

/** Whether the link ever had this status, whatever its status is now. */
export async function hadStatus(sql: Sql, { borrowerId, paymentIntentId }: LinkKey, status: LinkStatus): Promise<boolean> {
  const step = await sql
    .selectFrom('payment_link_history')
    .select('to_status')
    .where('borrower_id', '=', borrowerId)
    .where('payment_intent_id', '=', paymentIntentId)
    .where('to_status', '=', status)
    .executeTakeFirst()
  return step !== undefined
}

// Compiled once: a posting runs them for each payment.
export const linkForUpdate = statement<LinkKey>()((sql, key) => selectLink(sql, key).forUpdate())

/** Locks the link's row and reads it: only one provider report of a link is processed at a time. */
export async function lockLink(sql: Sql, key: LinkKey): Promise<LinkRow> {
  const [[link]] = await executeTogether(sql, [linkForUpdate.with(key)])
  if (!link) throw noLink(key)
  return link
}

export const noLink = ({ paymentIntentId }: LinkKey) => new Error(`There is no payment link ${paymentIntentId}`)

function selectLink(sql: Kysely<DB>, { borrowerId, paymentIntentId }: LinkKey) {
  return sql
    .selectFrom('payment_links')
    .select(linkColumns)
    .where('borrower_id', '=', borrowerId)
    .where('payment_intent_id', '=', paymentIntentId)
}

type LinkChange = Partial<
  Pick<
    LinkRow,
    | 'status'
    | 'payment_link_id'
    | 'redirect_url'
    | 'amount_paid_paise'
    | 'landed_late'
    | 'rps_updated'
    | 'settled_at'
    | 'provider_checked_at'
    | 'next_check_at'
  >
>

export function changeLink(sql: Sql, { borrowerId, paymentIntentId }: LinkKey, change: LinkChange): Promise<void> {
  const query = sql.updateTable('payment_links').set(change).where('borrower_id', '=', borrowerId)
  return executeDeferred(sql, query.where('payment_intent_id', '=', paymentIntentId))
}

export type HistorySource = 'borrower' | 'webhook' | 'poll' | 'sweep' | 'operator'

/**
 * Adds a step to the link's history. The times of the steps ascend, even if a clock goes back or
 * the servers' clocks differ.
 */
export function addHistory(
  sql: Sql,
  { borrowerId, paymentIntentId }: LinkKey,
  step: { at: Date; from: LinkStatus | null; to: LinkStatus; source: HistorySource; actorId: string },
): Promise<void> {
  const query = raw`select add_link_step(${borrowerId}, ${paymentIntentId}, ${uuidv7()}, ${step.at}, ${step.from}, ${step.to},
    ${step.source}, ${step.actorId})`
  return executeDeferred(sql, query.compile(sql))
}

/**
 * Claims the check of a link with the provider. Returns true to only one caller, if the last check
 * was not after `freshSince`.
 */
export async function claimProviderCheck(
  sql: Sql,
  { borrowerId, paymentIntentId }: LinkKey,
  now: Date,
  freshSince: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await sql
    .updateTable('payment_links')
    .set({ provider_checked_at: now })
    .where('borrower_id', '=', borrowerId)
    .where('payment_intent_id', '=', paymentIntentId)
    .where(({ or, eb }) => or([eb('provider_checked_at', 'is', null), eb('provider_checked_at', '<=', freshSince)]))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** The links that are due, the oldest first. */
export const selectDueLinks = (sql: Sql, now: Date, limit: number) =>
  sql
    .selectFrom('payment_links')
    .select(['borrower_id', 'payment_intent_id'])
    .where('next_check_at', '<=', now)
    .orderBy('next_check_at')
    .limit(limit)

/** Claims links that were found to be due and sets the times of their next checks. */
export async function claimLinks(
  sql: Sql,
  found: readonly Pick<LinkRow, 'borrower_id' | 'payment_intent_id'>[],
  now: Date,
  nextCheck: (link: LinkRow) => Date,
): Promise<LinkRow[]> {
  const due = await lockFound(sql, found, (link) => selectLink(sql, keyOf(link)).where('next_check_at', '<=', now))
  for (const link of due)
    await sql
      .updateTable('payment_links')
      .set({ checks: link.checks + 1, next_check_at: nextCheck(link) })
      .where('borrower_id', '=', link.borrower_id)
      .where('payment_intent_id', '=', link.payment_intent_id)
      .execute()
  return due
}
