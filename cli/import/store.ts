import * as z from 'zod/mini'
import { sql as raw } from 'kysely'
import type { Sql } from '#server/database/connect.ts'
import { erasedPhone } from '#server/privacy/person-store.ts'
import { productTerms, type ProductTerms } from '#server/loans/product-terms.ts'

/**
 * Reads the records with the names of a book. Lists may be long: each is sent as one
 * array.
 */

const textArray = (values: readonly string[]) => raw`${[...values]}::text[]`
const uuidArray = (values: readonly string[]) => raw`${[...values]}::uuid[]`

/** By two statements each: the look-up is on the coordinator, the rows may be on other nodes. */
export async function usersWithPhones(sql: Sql, phones: readonly string[]) {
  const known = await sql
    .selectFrom('user_phones')
    .select(['phone', 'user_id'])
    .where(raw<boolean>`phone = any(${textArray(phones)})`)
    .execute()
  const phoneOf = new Map(known.map(({ user_id, phone }) => [user_id, phone]))
  const users = await sql
    .selectFrom('users')
    .select(['user_id', 'kind', 'first_name', 'last_name', 'email', 'email_verified', 'pan'])
    .where(raw<boolean>`user_id = any(${uuidArray([...phoneOf.keys()])})`)
    .execute()
  return users.map((user) => ({ ...user, phone: phoneOf.get(user.user_id) ?? '' }))
}

/** Those of the borrowers whose name and phone were erased. */
export async function withoutIdentity(sql: Sql, borrowerIds: readonly string[]): Promise<string[]> {
  const erased = await sql
    .selectFrom('users')
    .select('user_id')
    .where(raw<boolean>`user_id = any(${uuidArray(borrowerIds)})`)
    .where('phone', '=', erasedPhone)
    .execute()
  return erased.map(({ user_id }) => user_id)
}

/** Those of the borrowers who had at least their e-mail address erased. */
export async function withErasure(sql: Sql, borrowerIds: readonly string[]): Promise<Set<string>> {
  const entries = await sql
    .selectFrom('access_log')
    .select('subject_id')
    .where(raw<boolean>`subject_id = any(${uuidArray(borrowerIds)})`)
    .where('action', '=', 'person_erased')
    .execute()
  return new Set(entries.map(({ subject_id }) => subject_id))
}

export async function loansWithNumbers(sql: Sql, lans: readonly string[]) {
  const known = await sql
    .selectFrom('loan_numbers')
    .select('borrower_id')
    .where(raw<boolean>`lan = any(${textArray(lans)})`)
    .execute()
  return sql
    .selectFrom('loans')
    .selectAll()
    .where(raw<boolean>`borrower_id = any(${uuidArray([...new Set(known.map(({ borrower_id }) => borrower_id))])})`)
    .where(raw<boolean>`lan = any(${textArray(lans)})`)
    .execute()
}

export function loanNamesOfBorrowers(sql: Sql, borrowerIds: readonly string[]) {
  return sql
    .selectFrom('loans')
    .select(['borrower_id', 'lan', 'lead_id', 'partner_loan_id'])
    .where(raw<boolean>`borrower_id = any(${uuidArray(borrowerIds)})`)
    .execute()
}

export function disbursalsOfBorrowers(sql: Sql, borrowerIds: readonly string[]) {
  return sql
    .selectFrom('disbursals')
    .select(['loan_id', 'partner_tranche_id', 'disbursed_on', 'amount_paise'])
    .where(raw<boolean>`borrower_id = any(${uuidArray(borrowerIds)})`)
    .where('partner_tranche_id', 'is not', null)
    .execute()
}

export function rateChangesOfBorrowers(sql: Sql, borrowerIds: readonly string[]) {
  return sql
    .selectFrom('rate_changes')
    .select(['loan_id', 'effective_on', 'annual_rate_ppb', 'keep', 'instalment_paise'])
    .where(raw<boolean>`borrower_id = any(${uuidArray(borrowerIds)})`)
    .execute()
}

export function repaymentsOfBorrowers(sql: Sql, borrowerIds: readonly string[]) {
  return sql
    .selectFrom('ledger_transactions')
    .select(['borrower_id', 'source', 'source_id', 'request_hash'])
    .where(raw<boolean>`borrower_id = any(${uuidArray(borrowerIds)})`)
    .where('kind', '=', 'repayment')
    .execute()
}

export function applicationsOfBorrowers(sql: Sql, borrowerIds: readonly string[]) {
  return sql
    .selectFrom('loan_applications')
    .select(['borrower_id', 'application_id', 'submitted_at', 'awaited', 'closed_at'])
    .where(raw<boolean>`borrower_id = any(${uuidArray(borrowerIds)})`)
    .execute()
}

export function stagesOfBorrowers(sql: Sql, borrowerIds: readonly string[]) {
  return sql
    .selectFrom('application_stages')
    .selectAll()
    .where(raw<boolean>`borrower_id = any(${uuidArray(borrowerIds)})`)
    .execute()
}

/** The fields of an existing application that may change: its pending step and its closing. */
export async function moveApplication(
  sql: Sql,
  borrowerId: string,
  applicationId: string,
  to: { awaited: readonly string[]; closedAt: Date | null },
): Promise<void> {
  await sql
    .updateTable('loan_applications')
    .set({ awaited: [...to.awaited], ...(to.closedAt && { closed_at: to.closedAt }) })
    .where('borrower_id', '=', borrowerId)
    .where('application_id', '=', applicationId)
    .execute()
}

/** The terms of each `<code> <version>`. */
export async function productVersions(sql: Sql): Promise<ReadonlyMap<string, ProductTerms>> {
  const rows = await sql.selectFrom('loan_products').select(['product_code', 'product_version', 'terms']).execute()
  return new Map(
    rows.map(({ product_code, product_version, terms }) => [
      `${product_code} ${product_version}`,
      z.decode(productTerms, terms as z.input<typeof productTerms>),
    ]),
  )
}
