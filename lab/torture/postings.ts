import type { Sql } from '#server/database/connect.ts'

/** Every posting of the provider's money, and the transaction that reversed it. */
export const listProviderPostings = (sql: Sql) =>
  sql
    .selectFrom('ledger_transactions as posting')
    .leftJoin('ledger_transactions as reversal', (join) =>
      join
        .onRef('reversal.borrower_id', '=', 'posting.borrower_id')
        .onRef('reversal.loan_id', '=', 'posting.loan_id')
        .onRef('reversal.reverses_transaction_id', '=', 'posting.transaction_id'),
    )
    .select(['posting.source_id', 'posting.amount_paise', 'reversal.transaction_id as reversed_by'])
    .where('posting.kind', '=', 'repayment')
    .where('posting.source', '=', 'razorpay')
    .execute()
