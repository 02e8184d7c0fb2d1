import { sql as raw, type RawBuilder, type Selectable } from 'kysely'
import type { Day } from '#domain/calendar.ts'
import { sumPaise, zeroPaise, type Paise } from '#domain/money.ts'
import { isPayableLink } from '#domain/payment-links.ts'
import type { Sql } from '../database/connect.ts'
import type { PaymentLinks } from '../database/schema.generated.ts'
import { returnedReason } from '../loans/facts-store.ts'

export type LinkRow = Omit<Selectable<PaymentLinks>, 'idempotency_key' | 'request_hash'>

/**
 * All columns in use by name, so that a migration that adds one does not change a prepared
 * statement.
 */
export const linkColumns = [
  'amount_paid_paise',
  'amount_paise',
  'borrower_id',
  'callback_url',
  'cancel_requested_at',
  'cancel_requested_by',
  'checks',
  'created_at',
  'created_by',
  'expires_at',
  'landed_late',
  'loan_id',
  'next_check_at',
  'payment_intent_id',
  'payment_link_id',
  'provider',
  'provider_checked_at',
  'purpose',
  'quote',
  'quoted_for',
  'redirect_url',
  'reference',
  'rps_updated',
  'session_id',
  'settled_at',
  'status',
] as const satisfies readonly (keyof LinkRow)[]

/**
 * The link can still be paid: `payableStatuses` in SQL. Constants instead of parameters let
 * PostgreSQL use the partial indexes.
 */
export const isPayableCondition = raw<boolean>`status in ('creating', 'created', 'partially_paid')`

/**
 * The definition of an open link: the link can still be paid, or it is paid and its money is not
 * posted yet. A loan has at most one (decision 37), besides a closed one whose late money is not
 * posted yet (`landed_late`), and a change of the loan waits for its end (decision 53).
 */
export const isOpenCondition = raw<boolean>`(${isPayableCondition} or (status = 'paid' and not rps_updated))`

/** `isOpenCondition` of one row. */
export const isOpenLink = (link: Pick<LinkRow, 'status' | 'rps_updated'>): boolean =>
  isPayableLink(link.status) || (link.status === 'paid' && !link.rps_updated)

/**
 * The link can still be paid, or has money that is not posted yet: other than an open link, this
 * includes a closed link that was paid late.
 */
export const awaitsProviderCondition = raw<boolean>`(${isPayableCondition} or ((status = 'paid' or amount_paid_paise > 0) and not rps_updated))`

/** `awaitsProviderCondition` of one row. */
export const awaitsProvider = (link: Pick<LinkRow, 'status' | 'rps_updated' | 'amount_paid_paise'>): boolean =>
  isPayableLink(link.status) || ((link.status === 'paid' || link.amount_paid_paise > 0n) && !link.rps_updated)

/**
 * Finds the open link of a loan. A closed link that was paid late can also be open until its money
 * is posted, so the newest link is returned.
 */
export const findOpenLink = (sql: Sql, borrowerId: string, loanId: string): Promise<LinkRow | undefined> =>
  findNewestLink(sql, borrowerId, loanId, isOpenCondition)

/** Finds a link that can still be paid or has money that is not posted. A debit waits for it. */
export const findLinkAwaitingProvider = (sql: Sql, borrowerId: string, loanId: string): Promise<LinkRow | undefined> =>
  findNewestLink(sql, borrowerId, loanId, awaitsProviderCondition)

const findNewestLink = (sql: Sql, borrowerId: string, loanId: string, condition: RawBuilder<boolean>) =>
  selectLinks(sql, borrowerId, loanId, condition).executeTakeFirst()

/** The links of a loan under a condition, the newest first. */
const selectLinks = (sql: Sql, borrowerId: string, loanId: string, condition: RawBuilder<boolean>) =>
  sql
    .selectFrom('payment_links')
    .select(linkColumns)
    .where('borrower_id', '=', borrowerId)
    .where('loan_id', '=', loanId)
    .where(condition)
    .orderBy('created_at', 'desc')

/** What a link brings: once it is closed, only what was paid of it. */
const awaitedPaise = ({ status, amount_paise, amount_paid_paise }: LinkRow): Paise =>
  isPayableLink(status) || status === 'paid' ? amount_paise : amount_paid_paise

/** A debit of a loan whose outcome is not known. */
export type PresentedDebitRow = { collection_id: string; reference: string; amount_paise: Paise; expected_by: Date | null }

/**
 * Finds the presented debit of a loan. While there is one, no payment link is made, because its
 * money would be paid twice; and no debit is presented while a link is open. Both are decided under
 * the loan's row lock. Only a debit that a restored database did not know can meet a link: that is
 * then cancelled.
 */
export function findPresentedDebit(sql: Sql, borrowerId: string, loanId: string): Promise<PresentedDebitRow | undefined> {
  return sql
    .selectFrom('collections')
    .select(['collection_id', 'reference', 'amount_paise', 'expected_by'])
    .where('borrower_id', '=', borrowerId)
    .where('loan_id', '=', loanId)
    .where('status', '=', 'presented')
    .executeTakeFirst()
}

/**
 * What the links and a presented debit of a loan may still bring, and what is not posted yet. A
 * closed link that was paid late can have money beside an open one.
 */
export async function sumStartedPayments(sql: Sql, borrowerId: string, loanId: string): Promise<Paise> {
  const links = await selectLinks(sql, borrowerId, loanId, awaitsProviderCondition).execute()
  const debit = await findPresentedDebit(sql, borrowerId, loanId)
  return sumPaise([...links.map(awaitedPaise), debit?.amount_paise ?? zeroPaise])
}

/**
 * Ends the time in which a captured debit counts as under way on the day on which its money was
 * taken back, so that a late charge can arise from then on. Changes nothing for any other
 * payment.
 */
export async function endReturnedDebit(sql: Sql, borrowerId: string, providerPaymentId: string, day: Day): Promise<void> {
  await sql
    .updateTable('collections')
    .set({ reason: returnedReason, outcome_on: day })
    .where('borrower_id', '=', borrowerId)
    .where('provider_payment_id', '=', providerPaymentId)
    .where('status', '=', 'captured')
    .execute()
}

/**
 * Marks an open link for cancelling, in the transaction of a fact that the link's amount does not
 * include. If the caller does not cancel the link by `nextCheckAt`, the sweeper does.
 */
export async function requestLinkCancel(
  sql: Sql,
  link: Pick<LinkRow, 'borrower_id' | 'payment_intent_id'>,
  request: { at: Date; by: string; nextCheckAt: Date },
): Promise<void> {
  await sql
    .updateTable('payment_links')
    .set({ cancel_requested_at: request.at, cancel_requested_by: request.by, next_check_at: request.nextCheckAt })
    .where('borrower_id', '=', link.borrower_id)
    .where('payment_intent_id', '=', link.payment_intent_id)
    .execute()
}
