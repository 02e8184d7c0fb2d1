import type { Sql } from '../database/connect.ts'
import { toPlainReference } from '../ledger/repeated-payments.ts'
import type { LoanKey } from '../loans/loan-store.ts'

/** The received payments of a loan, newest first, with their receipts and whether they count. */
export function listRepayments(sql: Sql, { borrower_id, loan_id }: LoanKey) {
  return sql
    .selectFrom('ledger_transactions as paid')
    .leftJoin('receipts', (join) =>
      join.onRef('receipts.borrower_id', '=', 'paid.borrower_id').onRef('receipts.transaction_id', '=', 'paid.transaction_id'),
    )
    .leftJoin('ledger_transactions as reversal', (join) =>
      join
        .onRef('reversal.borrower_id', '=', 'paid.borrower_id')
        .onRef('reversal.loan_id', '=', 'paid.loan_id')
        .onRef('reversal.reverses_transaction_id', '=', 'paid.transaction_id'),
    )
    .select([
      'paid.transaction_id',
      'paid.source',
      'paid.source_id',
      'paid.value_date',
      'paid.amount_paise',
      'paid.purpose',
      'receipts.receipt_number',
      'reversal.transaction_id as reversal_id',
    ])
    .where('paid.borrower_id', '=', borrower_id)
    .where('paid.loan_id', '=', loan_id)
    .where('paid.kind', '=', 'repayment')
    .orderBy('paid.sequence', 'desc')
    .execute()
}

type Repayment = Awaited<ReturnType<typeof listRepayments>>[number]

/** The payments with a reference that count. */
export const listPaymentsOfReference = (payments: readonly Repayment[], reference: string): Repayment[] =>
  payments.filter(({ source_id, reversal_id }) => toPlainReference(source_id) === reference && reversal_id === null)

/** The payment of a ledger transaction, or of a reference. */
export const findNamedPayment = (payments: readonly Repayment[], id: string): Repayment | undefined =>
  payments.find(({ transaction_id }) => transaction_id === id) ??
  listPaymentsOfReference(payments, id)[0] ??
  payments.find(({ source_id }) => source_id === id)

/** Source and actor of each transaction of a loan's ledger, by sequence. */
export function listLedgerSources(sql: Sql, { borrower_id, loan_id }: LoanKey) {
  return sql
    .selectFrom('ledger_transactions')
    .select(['transaction_id', 'source', 'source_id', 'actor_id', 'amount_paise'])
    .where('borrower_id', '=', borrower_id)
    .where('loan_id', '=', loan_id)
    .orderBy('sequence')
    .execute()
}

/** Finds the payment of any borrower that has claimed a bank reference. */
export async function findPaymentOfReference(sql: Sql, reference: string) {
  // Two statements: bank_references is not distributed by borrower (distribute.ts).
  const claimed = await sql
    .selectFrom('bank_references')
    .select(['borrower_id', 'loan_id', 'transaction_id'])
    .where('reference', '=', reference)
    .executeTakeFirst()
  if (!claimed) return undefined
  return sql
    .selectFrom('ledger_transactions as paid')
    .innerJoin('loans', (join) => join.onRef('loans.borrower_id', '=', 'paid.borrower_id').onRef('loans.loan_id', '=', 'paid.loan_id'))
    .select(['paid.borrower_id', 'loans.lan', 'paid.source', 'paid.source_id', 'paid.amount_paise', 'paid.value_date'])
    .where('paid.borrower_id', '=', claimed.borrower_id)
    .where('paid.loan_id', '=', claimed.loan_id)
    .where('paid.transaction_id', '=', claimed.transaction_id)
    .executeTakeFirst()
}
