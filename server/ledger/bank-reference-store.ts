import { sql as raw, type Selectable } from 'kysely'
import type { Sql } from '../database/connect.ts'
import type { BankReferences, ProviderPayments } from '../database/schema.generated.ts'
import type { LoanKey } from '../loans/loan-store.ts'
import { isReversed } from './ledger-store.ts'

/** What people have recorded under a bank reference. */
export type BankReference = Pick<Selectable<BankReferences>, 'reference' | 'loan_id' | 'transaction_id'>

type ProviderPayment = Selectable<ProviderPayments>

/**
 * The payment modes whose reference is a UTR: a bank reference that is unique over all banks and
 * borrowers.
 */
const bankModes: ReadonlySet<string> = new Set(['neft', 'rtgs', 'imps', 'upi', 'transfer'])

/** Capital letters and digits: `utr-12 34` and `UTR1234` are the same transfer. */
const plain = (reference: string): string | null => reference.toUpperCase().replaceAll(/[^A-Z0-9]/g, '') || null

/** The same of a column. */
const plainOf = (column: string) => raw<string>`upper(regexp_replace(${raw.ref(column)}, '[^A-Za-z0-9]', '', 'g'))`

/**
 * Normalises a bank reference, see {@link plain}.
 *
 * @param source the payment mode.
 * @returns null for a mode whose reference is not a UTR, such as a cheque number.
 */
export function normalizeBankReference(source: string, sourceId: string): string | null {
  return bankModes.has(source) ? plain(sourceId) : null
}

/**
 * Claims a bank reference for one payment until the payment is reversed.
 *
 * @returns false if another payment of any borrower has the reference.
 */
export async function claimBankReference(
  sql: Sql,
  { borrower_id, loan_id }: LoanKey,
  reference: string,
  transactionId: string,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await sql
    .insertInto('bank_references')
    .values({ reference, borrower_id, loan_id, transaction_id: transactionId })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

/**
 * Frees the bank reference of a reversed payment, so that a transfer which was booked to the wrong
 * loan can be recorded on the right one.
 */
export async function releaseBankReference(sql: Sql, borrowerId: string, transactionId: string): Promise<void> {
  await sql.deleteFrom('bank_references').where('borrower_id', '=', borrowerId).where('transaction_id', '=', transactionId).execute()
}

/** The references of what people have recorded for a borrower, and not reversed. */
export const listBankReferences = (sql: Sql, borrowerId: string): Promise<BankReference[]> =>
  sql.selectFrom('bank_references').select(['reference', 'loan_id', 'transaction_id']).where('borrower_id', '=', borrowerId).execute()

/**
 * Selects those that name a payment of the provider: by its bank reference, or by the provider's
 * id, which staff can read in the provider's dashboard. A card's reference is the bank's approval
 * code, which is short.
 */
export function selectNaming(
  claims: readonly BankReference[],
  { provider_payment_id: id, method, bank_reference }: Pick<ProviderPayment, 'provider_payment_id' | 'method' | 'bank_reference'>,
): BankReference[] {
  const names = new Set([plain(id), method === 'card' || bank_reference === null ? null : plain(bank_reference)])
  return claims.filter(({ reference }) => names.has(reference))
}

/**
 * Whether a reference names a payment that the provider reported for this borrower, see
 * {@link selectNaming}: by link, or of a debit. One that was reversed does not count.
 */
export async function isReferenceOfProvider(sql: Sql, borrowerId: string, reference: string): Promise<boolean> {
  const reported = await sql
    .selectFrom('provider_payments')
    .select(['loan_id', 'transaction_id'])
    .where('borrower_id', '=', borrowerId)
    .where(({ or, and, eb }) =>
      or([
        eb(plainOf('provider_payment_id'), '=', reference),
        and([eb(plainOf('bank_reference'), '=', reference), eb('method', 'is distinct from', 'card')]),
      ]),
    )
    .execute()
  for (const { loan_id, transaction_id } of reported)
    if (transaction_id === null || !(await isReversed(sql, borrowerId, { loan_id, transaction_id }))) return true
  return false
}

/**
 * Finds the references that are already claimed, over all borrowers. One array parameter holds all,
 * because they can exceed the limit of a statement.
 */
export async function findTakenBankReferences(sql: Sql, references: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await sql
    .selectFrom('bank_references')
    .select('reference')
    .where(raw<boolean>`reference = any(${[...references]}::text[])`)
    .execute()
  return new Set(rows.map(({ reference }) => reference))
}
