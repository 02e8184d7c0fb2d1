import { sql as raw, type Kysely, type Selectable } from 'kysely'
import { uuidv7 } from 'uuidv7'
import { closedStatuses, type LinkStatus } from '#domain/payment-links.ts'
import type { Paise } from '#domain/money.ts'
import type { CapturedOrRefundedPayment } from '../adapters/payment-gateway/payment-gateway.ts'
import type { Sql } from '../database/connect.ts'
import { executeDeferred, executeTogether, lockFound, statement, type RowsOf } from '../database/statement.ts'
import type { DB, ProviderPayments } from '../database/schema.generated.ts'
import { linkColumns, type LinkRow } from '../ledger/open-links-store.ts'
import type { StoredQuote } from './quote.ts'
import { selectLinkRefunds, type RefundRow } from './refund-store.ts'
import { reviewClosing } from './review-store.ts'

export type { LinkRow }
export type ProviderPaymentRow = Selectable<ProviderPayments>

/** All columns by name, as in open-links-store.ts. */
export const paymentColumns = [
  'amount_paise',
  'bank_reference',
  'borrower_id',
  'captured',
  'fee_paise',
  'instrument',
  'loan_id',
  'method',
  'paid_at',
  'payment_intent_id',
  'provider',
  'provider_payment_id',
  'refunded_paise',
  'seen_at',
  'tax_paise',
  'transaction_id',
] as const satisfies readonly (keyof ProviderPaymentRow)[]

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

const selectPayments = (sql: Kysely<DB>, borrowerId: string, paymentIntentIds: readonly string[]) =>
  sql
    .selectFrom('provider_payments')
    .select(paymentColumns)
    .where('borrower_id', '=', borrowerId)
    .where('payment_intent_id', 'in', [...paymentIntentIds])
    .orderBy('paid_at')
    .orderBy('provider_payment_id')

// Compiled once: a posting runs them for each payment.
const linkForUpdate = statement<LinkKey>()((sql, key) => selectLink(sql, key).forUpdate())
const paymentsOfLink = statement<LinkKey>()((sql, { borrowerId, paymentIntentId }) => selectPayments(sql, borrowerId, [paymentIntentId]))
const refundsOfLink = statement<LinkKey>()((sql, { borrowerId, paymentIntentId }) => selectLinkRefunds(sql, borrowerId, [paymentIntentId]))
const endsOfLink = statement<LinkKey>()((sql, { borrowerId, paymentIntentId }) =>
  sql
    .selectFrom('payment_link_history')
    .select('to_status')
    .where('borrower_id', '=', borrowerId)
    .where('payment_intent_id', '=', paymentIntentId)
    .where('to_status', 'in', closedStatuses),
)

/** Locks the link's row and reads it: only one provider report of a link is processed at a time. */
export async function lockLink(sql: Sql, key: LinkKey): Promise<LinkRow> {
  const [[link]] = await executeTogether(sql, [linkForUpdate.with(key)])
  if (!link) throw noLink(key)
  return link
}

const noLink = ({ paymentIntentId }: LinkKey) => new Error(`There is no payment link ${paymentIntentId}`)

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
 * Stores a payment. For a known payment, updates only `refunded_paise`, which never decreases,
 * `captured`, which stays true, and `bank_reference` if there was none.
 */
export function addProviderPayment(
  sql: Sql,
  link: Pick<LinkRow, 'borrower_id' | 'loan_id' | 'provider' | 'payment_intent_id'>,
  payment: CapturedOrRefundedPayment,
  seenAt: Date,
): Promise<void> {
  const query = sql
    .insertInto('provider_payments')
    .values({
      borrower_id: link.borrower_id,
      loan_id: link.loan_id,
      provider: link.provider,
      provider_payment_id: payment.providerPaymentId,
      payment_intent_id: link.payment_intent_id,
      amount_paise: payment.amountPaise,
      method: payment.method,
      instrument: payment.instrument,
      bank_reference: payment.bankReference,
      fee_paise: payment.feePaise,
      tax_paise: payment.taxPaise,
      paid_at: payment.paidAt,
      seen_at: seenAt,
      captured: payment.captured,
      refunded_paise: payment.refundedPaise,
    })
    .onConflict((conflict) =>
      conflict.columns(['borrower_id', 'provider', 'provider_payment_id']).doUpdateSet({
        refunded_paise: raw<Paise>`greatest(provider_payments.refunded_paise, excluded.refunded_paise)`,
        captured: raw<boolean>`provider_payments.captured or excluded.captured`,
        // The bank's reference can come after the capture. It shows who records the same money.
        bank_reference: raw<string | null>`coalesce(provider_payments.bank_reference, excluded.bank_reference)`,
      }),
    )
  return executeDeferred(sql, query)
}

/** Lists all payments of a loan that were made through the provider. */
export function listLoanPayments(sql: Sql, borrowerId: string, loanId: string): Promise<ProviderPaymentRow[]> {
  return sql.selectFrom('provider_payments').selectAll().where('borrower_id', '=', borrowerId).where('loan_id', '=', loanId).execute()
}

/** Lists those of a borrower's payments that have one of the provider's ids. */
export function listPaymentsById(sql: Sql, borrowerId: string, ids: readonly string[]): Promise<ProviderPaymentRow[]> {
  return sql
    .selectFrom('provider_payments')
    .selectAll()
    .where('borrower_id', '=', borrowerId)
    .where('provider_payment_id', 'in', ids)
    .execute()
}

/** Finds a borrower's payment by the provider's id. */
export function findProviderPayment(
  sql: Sql,
  { borrower_id, provider, provider_payment_id }: Pick<ProviderPaymentRow, 'borrower_id' | 'provider' | 'provider_payment_id'>,
): Promise<ProviderPaymentRow | undefined> {
  return sql
    .selectFrom('provider_payments')
    .selectAll()
    .where('borrower_id', '=', borrower_id)
    .where('provider', '=', provider)
    .where('provider_payment_id', '=', provider_payment_id)
    .executeTakeFirst()
}

/** A payment that was made through the provider, if there is any: its money can be taken back. */
export const selectAnyPayment = (sql: Sql) => sql.selectFrom('provider_payments').select('provider_payment_id').limit(1)

/** Those of the provider's payments that are known, over all borrowers. */
export const selectKnownPayments = (sql: Sql, provider: string, providerPaymentIds: readonly string[]) =>
  sql
    .selectFrom('provider_payments')
    .select(['borrower_id', 'provider', 'provider_payment_id'])
    .where('provider', '=', provider)
    .where('provider_payment_id', 'in', providerPaymentIds)

/** Finds a payment of any borrower by the provider's id. */
export function findPaymentById(sql: Sql, provider: string, providerPaymentId: string): Promise<ProviderPaymentRow | undefined> {
  return sql
    .selectFrom('provider_payments')
    .selectAll()
    .where('provider', '=', provider)
    .where('provider_payment_id', '=', providerPaymentId)
    .executeTakeFirst()
}

/**
 * Locks the link's row and reads what its payments are posted with: the payments and refunds of the
 * link, oldest first, and the closed statuses in its history, which a late payment may have
 * changed.
 */
export const linkToPostReads = (key: LinkKey) =>
  [linkForUpdate.with(key), paymentsOfLink.with(key), refundsOfLink.with(key), endsOfLink.with(key)] as const

/** Builds a link from the rows of {@link linkToPostReads}. */
export function buildLinkToPost(
  [[link], payments, refunds, steps]: RowsOf<ReturnType<typeof linkToPostReads>>,
  key: LinkKey,
): { link: LinkRow; payments: ProviderPaymentRow[]; refunds: RefundRow[]; closedAs: ReadonlySet<LinkStatus> } {
  if (!link) throw noLink(key)
  return { link, payments, refunds, closedAs: new Set(steps.map((step) => step.to_status)) }
}

/** Lists the payments of the given links, oldest first. */
export async function listLinkPayments(sql: Sql, borrowerId: string, paymentIntentIds: readonly string[]): Promise<ProviderPaymentRow[]> {
  const [paymentIntentId, ...others] = paymentIntentIds
  if (paymentIntentId === undefined) return []
  if (others.length > 0) return selectPayments(sql, borrowerId, paymentIntentIds).execute()
  const [payments] = await executeTogether(sql, [paymentsOfLink.with({ borrowerId, paymentIntentId })])
  return payments
}

/** Stores the payment's ledger transaction, and closes the review of a failed posting. */
export function markPosted(sql: Sql, payment: ProviderPaymentRow, transactionId: string, now: Date): Promise<void> {
  const failedPosting = { borrowerId: payment.borrower_id, kind: 'not_posted', about: payment.provider_payment_id } as const
  const query = sql
    .with('closed_review', (query) => reviewClosing(query, failedPosting, 'posted at a later attempt', now))
    .updateTable('provider_payments')
    .set({ transaction_id: transactionId })
    .where('borrower_id', '=', payment.borrower_id)
    .where('provider', '=', payment.provider)
    .where('provider_payment_id', '=', payment.provider_payment_id)
  return executeDeferred(sql, query)
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
