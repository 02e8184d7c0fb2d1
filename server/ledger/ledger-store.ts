import { sql as raw } from 'kysely'
import type { Insertable } from 'kysely'
import { paise } from '#domain/money.ts'
import type { Sql } from '../database/connect.ts'
import type { LedgerEntries, LedgerTransactions } from '../database/schema.generated.ts'
import type { Account, TransactionKind } from './accounts.ts'
import type { PostedTransaction } from './plan.ts'
import { chainHash, type ChainedEntry } from './chain.ts'
import type { LoanRow } from '../loans/loan-store.ts'

export type NewTransaction = Omit<Insertable<LedgerTransactions>, 'borrower_id' | 'loan_id' | 'sequence' | 'chain_hash' | 'posted_at'> & {
  posted_at: Date
}
export type NewEntry = Omit<Insertable<LedgerEntries>, 'borrower_id' | 'loan_id' | 'transaction_id' | 'line'>

/** Appends one balanced transaction to the loan's ledger, whose row lock the caller holds. The sequence has no gaps. */
export async function appendTransaction(
  sql: Sql,
  loan: Pick<LoanRow, 'borrower_id' | 'loan_id'>,
  transaction: NewTransaction,
  entries: readonly NewEntry[],
): Promise<void> {
  const { ledger_sequence: sequence } = await sql
    .updateTable('loans')
    .set((update) => ({ ledger_sequence: update('ledger_sequence', '+', 1n) }))
    .where('borrower_id', '=', loan.borrower_id)
    .where('loan_id', '=', loan.loan_id)
    .returning('ledger_sequence')
    .executeTakeFirstOrThrow()
  const key = { borrower_id: loan.borrower_id, loan_id: loan.loan_id }
  const previous = await chainHashAt(sql, loan, sequence - 1n)
  const chain_hash = chainHash(loan.loan_id, previous, {
    ...transaction,
    purpose: transaction.purpose ?? null,
    quoted_ahead_for: transaction.quoted_ahead_for ?? null,
    reverses_transaction_id: transaction.reverses_transaction_id ?? null,
    reallocates_transaction_id: transaction.reallocates_transaction_id ?? null,
    sequence,
    entries: entries.map(chainedEntry),
  })
  await sql
    .insertInto('ledger_transactions')
    .values({ ...key, ...transaction, sequence, chain_hash })
    .execute()
  await sql
    .insertInto('ledger_entries')
    .values(entries.map((entry, index) => ({ ...key, ...entry, transaction_id: transaction.transaction_id, line: index + 1 })))
    .execute()
}

/** The link of the transaction with a sequence; null before the first. */
async function chainHashAt(sql: Sql, loan: Pick<LoanRow, 'borrower_id' | 'loan_id'>, sequence: bigint): Promise<Buffer | null> {
  const row = await sql
    .selectFrom('ledger_transactions')
    .select('chain_hash')
    .where('borrower_id', '=', loan.borrower_id)
    .where('loan_id', '=', loan.loan_id)
    .where('sequence', '=', sequence)
    .executeTakeFirst()
  return row?.chain_hash ?? null
}

/** An entry as the loan's chain has it. */
export const chainedEntry = ({ account, debit_paise, credit_paise, instalment_number, charge_id }: NewEntry): ChainedEntry => [
  account,
  String((credit_paise ?? 0n) - (debit_paise ?? 0n)),
  instalment_number ?? null,
  charge_id ?? null,
]

/** The transaction that a source brought about for this borrower, and what was asked for then. */
export function findBySource(sql: Sql, borrowerId: string, source: string, sourceId: string) {
  return sql
    .selectFrom('ledger_transactions')
    .select(['loan_id', 'transaction_id', 'value_date', 'amount_paise', 'purpose', 'request_hash'])
    .where('borrower_id', '=', borrowerId)
    .where('source', '=', source)
    .where('source_id', '=', sourceId)
    .executeTakeFirst()
}

/** Account, credit less debit as text, instalment, charge: JSON would lose a bigint. */
export type PackedEntry = [account: Account, amountPaise: string, instalmentNumber: number | null, chargeId: string | null]
export type PackedTransaction = Pick<
  PostedTransactionRow,
  | 'transaction_id'
  | 'sequence'
  | 'kind'
  | 'source_id'
  | 'value_date'
  | 'posted_at'
  | 'reverses_transaction_id'
  | 'reallocates_transaction_id'
  | 'entries'
>
type PostedTransactionRow = Insertable<LedgerTransactions> & { sequence: bigint; posted_at: Date; entries: PackedEntry[] | null }

export const packedEntries = raw<PackedEntry[] | null>`(
  select json_agg(json_build_array(entry.account, (entry.credit_paise - entry.debit_paise)::text, entry.instalment_number, entry.charge_id) order by entry.line)
  from ledger_entries as entry
  where entry.borrower_id = ledger_transactions.borrower_id and entry.loan_id = ledger_transactions.loan_id and entry.transaction_id = ledger_transactions.transaction_id
)`

/** The whole ledger of a loan, in its sequence. */
export async function ledgerOf(sql: Sql, loan: Pick<LoanRow, 'borrower_id' | 'loan_id'>): Promise<PostedTransaction[]> {
  const rows = await sql
    .selectFrom('ledger_transactions')
    .select([
      'transaction_id',
      'sequence',
      'kind',
      'source_id',
      'value_date',
      'posted_at',
      'reverses_transaction_id',
      'reallocates_transaction_id',
      packedEntries.as('entries'),
    ])
    .where('borrower_id', '=', loan.borrower_id)
    .where('loan_id', '=', loan.loan_id)
    .orderBy('sequence')
    .execute()
  return rows.map((row) => unpacked(row as PackedTransaction))
}

export const unpacked = (row: PackedTransaction): PostedTransaction => ({
  transactionId: row.transaction_id,
  sequence: row.sequence,
  kind: row.kind as TransactionKind,
  sourceId: row.source_id,
  valueDate: row.value_date,
  postedAt: row.posted_at,
  reverses: row.reverses_transaction_id ?? null,
  reallocates: row.reallocates_transaction_id ?? null,
  lines: (row.entries ?? []).map(([account, amount, instalmentNumber, chargeId]) => ({
    account,
    amountPaise: paise(BigInt(amount)),
    instalmentNumber,
    chargeId,
  })),
})
