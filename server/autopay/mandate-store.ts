import type { Kysely, Selectable } from 'kysely'
import { debitMaximum, liveMandateStatuses, type AutopayRules } from '#domain/autopay.ts'
import type { Paise } from '#domain/money.ts'
import { providerName } from '#domain/payments.ts'
import type { Sql } from '../database/connect.ts'
import type { DB, Mandates } from '../database/schema.generated.ts'
import { statement } from '../database/statement.ts'

export type MandateRow = Selectable<Mandates>

export type MandateKey = Pick<MandateRow, 'borrower_id' | 'mandate_id'>

/** Whether no debit can follow any more: it has ended, or its end is asked for. */
export const mandateIsOver = ({ status, ended_at }: Pick<MandateRow, 'status' | 'ended_at'>): boolean =>
  ended_at !== null || status === 'ending'

/** The largest debit that a mandate allows, in paise. */
export const mandateCap = (mandate: Pick<MandateRow, 'method' | 'max_amount_paise'>, rules: AutopayRules): Paise =>
  debitMaximum({ method: mandate.method, maximumPaise: mandate.max_amount_paise }, rules)

/** All columns by name, as in open-links-store.ts. */
const mandateColumns = [
  'account_hint',
  'active_at',
  'app_paused_at',
  'auth_type',
  'borrower_id',
  'checks',
  'consent_version',
  'consented_at',
  'created_at',
  'created_by',
  'customer_id',
  'end_reason',
  'end_requested_at',
  'ended_at',
  'ends_on',
  'expires_at',
  'invoice_id',
  'loan_id',
  'mandate_id',
  'max_amount_paise',
  'method',
  'next_check_at',
  'order_id',
  'paused_at',
  'provider',
  'provider_checked_at',
  'redirect_url',
  'reference',
  'status',
  'token_id',
] as const satisfies readonly (keyof MandateRow)[]

const selectMandates = (sql: Kysely<DB>, borrowerId: string) =>
  sql.selectFrom('mandates').select(mandateColumns).where('borrower_id', '=', borrowerId)

const selectNewestMandates = (sql: Kysely<DB>, borrowerId: string) =>
  selectMandates(sql, borrowerId).orderBy('created_at', 'desc').orderBy('mandate_id', 'desc')

/** The mandates of a borrower, newest first. */
export const mandatesOfBorrower = statement<{ borrowerId: string }>()((sql, { borrowerId }) => selectNewestMandates(sql, borrowerId))

type NewMandate = Pick<
  MandateRow,
  | 'borrower_id'
  | 'mandate_id'
  | 'loan_id'
  | 'reference'
  | 'method'
  | 'auth_type'
  | 'max_amount_paise'
  | 'account_hint'
  | 'consent_version'
  | 'expires_at'
  | 'ends_on'
  | 'created_by'
>

/** Stores a mandate before the provider is asked for it, with the way from its reference to it. */
export async function addMandate(sql: Sql, mandate: NewMandate, now: Date, nextCheckAt: Date): Promise<void> {
  await sql
    .insertInto('mandates')
    .values({ ...mandate, provider: providerName, status: 'creating', consented_at: now, created_at: now, next_check_at: nextCheckAt })
    .execute()
  await addReference(sql, { ...mandate, collection_id: null })
}

/** What one of our references names. */
type NamedAutopay = MandateKey & { collection_id: string | null }

export async function addReference(sql: Sql, named: NamedAutopay & { reference: string }): Promise<void> {
  const { reference, borrower_id, mandate_id, collection_id } = named
  await sql.insertInto('autopay_references').values({ reference, borrower_id, mandate_id, collection_id }).execute()
}

/** Finds what a reference of ours names, over all borrowers. */
export async function findByReference(sql: Sql, reference: string): Promise<NamedAutopay | null> {
  const row = await sql.selectFrom('autopay_references').selectAll().where('reference', '=', reference).executeTakeFirst()
  return row ?? null
}

/** Finds the mandate of the provider's token, over all borrowers. */
export async function findMandateByToken(sql: Sql, tokenId: string): Promise<MandateKey | null> {
  const row = await sql.selectFrom('mandates').select(['borrower_id', 'mandate_id']).where('token_id', '=', tokenId).executeTakeFirst()
  return row ?? null
}

export const selectMandate = (sql: Sql, { borrower_id, mandate_id }: MandateKey) =>
  selectMandates(sql, borrower_id).where('mandate_id', '=', mandate_id)

export const findMandate = (sql: Sql, key: MandateKey): Promise<MandateRow | undefined> => selectMandate(sql, key).executeTakeFirst()

/** @throws if there is none. */
export async function readMandateRow(sql: Sql, key: MandateKey): Promise<MandateRow> {
  const mandate = await findMandate(sql, key)
  if (!mandate) throw new Error(`There is no mandate ${key.mandate_id}`)
  return mandate
}

/** When mandates of a borrower were made since a moment, the oldest first. */
export async function listMandateTimes(sql: Sql, borrowerId: string, since: Date): Promise<Date[]> {
  const made = sql.selectFrom('mandates').select('created_at').where('borrower_id', '=', borrowerId).where('created_at', '>', since)
  return (await made.orderBy('created_at').execute()).map(({ created_at }) => created_at)
}

/** The mandate of a loan that is not over. */
export const findLiveMandate = (sql: Sql, borrowerId: string, loanId: string): Promise<MandateRow | undefined> =>
  selectMandates(sql, borrowerId).where('loan_id', '=', loanId).where('status', 'in', liveMandateStatuses).executeTakeFirst()

export type MandateChange = Partial<
  Pick<
    MandateRow,
    | 'status'
    | 'end_reason'
    | 'account_hint'
    | 'invoice_id'
    | 'order_id'
    | 'customer_id'
    | 'token_id'
    | 'redirect_url'
    | 'paused_at'
    | 'app_paused_at'
    | 'active_at'
    | 'end_requested_at'
    | 'ended_at'
    | 'provider_checked_at'
    | 'next_check_at'
    | 'checks'
  >
>

/** Changes a mandate. The caller holds the loan's row lock. */
export async function changeMandateRow(sql: Sql, { borrower_id, mandate_id }: MandateKey, change: MandateChange): Promise<void> {
  await sql.updateTable('mandates').set(change).where('borrower_id', '=', borrower_id).where('mandate_id', '=', mandate_id).execute()
}

/** Mandates whose next check is due, the oldest first. */
export const selectDueMandates = (sql: Sql, now: Date, limit: number) =>
  sql
    .selectFrom('mandates')
    .select(['borrower_id', 'mandate_id', 'loan_id'])
    .where('status', 'in', liveMandateStatuses)
    .where('next_check_at', '<=', now)
    .orderBy('next_check_at')
    .limit(limit)

/** Mandates whose token the provider has not told yet. */
export function listWaitingMandates(sql: Sql, limit: number): Promise<MandateKey[]> {
  return sql
    .selectFrom('mandates')
    .select(['borrower_id', 'mandate_id'])
    .where('status', 'in', ['creating', 'issued'])
    .where('token_id', 'is', null)
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
}

/**
 * Claims the check of a mandate with the provider for one of simultaneous polls, if the last check
 * was not after `freshSince`.
 */
export async function claimMandateCheck(sql: Sql, { borrower_id, mandate_id }: MandateKey, now: Date, freshSince: Date): Promise<boolean> {
  const { numUpdatedRows } = await sql
    .updateTable('mandates')
    .set({ provider_checked_at: now })
    .where('borrower_id', '=', borrower_id)
    .where('mandate_id', '=', mandate_id)
    .where(({ or, eb }) => or([eb('provider_checked_at', 'is', null), eb('provider_checked_at', '<=', freshSince)]))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** All mandates of a loan, newest first. */
export const listMandates = (sql: Sql, borrowerId: string, loanId: string): Promise<MandateRow[]> =>
  selectNewestMandates(sql, borrowerId).where('loan_id', '=', loanId).execute()
