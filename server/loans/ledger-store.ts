import type { Insertable } from 'kysely'
import type { Sql } from '../database/connect.ts'
import type { LedgerEntries, LedgerTransactions } from '../database/schema.generated.ts'
import type { LoanRow } from './loan-store.ts'

export type NewTransaction = Omit<Insertable<LedgerTransactions>, 'borrower_id' | 'loan_id' | 'sequence'>
export type NewEntry = Omit<Insertable<LedgerEntries>, 'borrower_id' | 'loan_id' | 'transaction_id' | 'line'>

/** Appends one balanced transaction to the loan's ledger, whose row lock the caller holds. The sequence has no gaps. */
export async function appendTransaction(sql: Sql, loan: LoanRow, transaction: NewTransaction, entries: readonly NewEntry[]): Promise<void> {
  const { ledger_sequence: sequence } = await sql
    .updateTable('loans')
    .set((update) => ({ ledger_sequence: update('ledger_sequence', '+', 1n) }))
    .where('borrower_id', '=', loan.borrower_id)
    .where('loan_id', '=', loan.loan_id)
    .returning('ledger_sequence')
    .executeTakeFirstOrThrow()
  const key = { borrower_id: loan.borrower_id, loan_id: loan.loan_id }
  await sql
    .insertInto('ledger_transactions')
    .values({ ...key, ...transaction, sequence })
    .execute()
  await sql
    .insertInto('ledger_entries')
    .values(entries.map((entry, index) => ({ ...key, ...entry, transaction_id: transaction.transaction_id, line: index + 1 })))
    .execute()
}
