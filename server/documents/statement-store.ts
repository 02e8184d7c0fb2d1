import { dayInIndia, type Day } from '#domain/calendar.ts'
import { paise, type Paise } from '#domain/money.ts'
import type { Sql } from '../database/connect.ts'
import type { Account, TransactionKind } from '../ledger/accounts.ts'
import type { Line } from '../ledger/lines.ts'
import { packedEntriesOf, type PackedEntry } from '../ledger/ledger-store.ts'
import { toPlainReference } from '../ledger/repeated-payments.ts'
import type { LoanKey } from '../loans/loan-store.ts'

/** The kinds of a statement: all but the provider's settlements to the lender. */
export type StatementKind = Exclude<TransactionKind, 'settlement'>

/** A ledger transaction as a statement shows it. */
export type StatementTransaction = {
  transactionId: string
  sequence: bigint
  kind: StatementKind
  /** The transaction that it reverses or reallocates. */
  rootId: string | null
  valueDate: Day
  /**
   * The day on which the provider took the money, else the value date. A debit counts from its due
   * date, even if it was made later.
   */
  receivedOn: Day
  postedAt: Date
  source: string
  sourceId: string
  purpose: string | null
  /** The reference of the payer's bank. */
  bankReference: string | null
  amountPaise: Paise
  lines: readonly Line[]
}

/** Reads a loan's ledger with the source of each transaction, by value date and sequence. */
export async function readStatementTransactions(sql: Sql, loan: LoanKey): Promise<StatementTransaction[]> {
  const rows = await sql
    .selectFrom('ledger_transactions')
    .leftJoin('provider_payments as payment', (join) =>
      join
        .onRef('payment.borrower_id', '=', 'ledger_transactions.borrower_id')
        .onRef('payment.transaction_id', '=', 'ledger_transactions.transaction_id'),
    )
    .select([
      'ledger_transactions.transaction_id',
      'ledger_transactions.sequence',
      'ledger_transactions.kind',
      'ledger_transactions.value_date',
      'ledger_transactions.posted_at',
      'ledger_transactions.source',
      'ledger_transactions.source_id',
      'ledger_transactions.purpose',
      'ledger_transactions.amount_paise',
      'ledger_transactions.reverses_transaction_id',
      'ledger_transactions.reallocates_transaction_id',
      'payment.bank_reference',
      'payment.paid_at',
      packedEntriesOf(loan.borrower_id).as('entries'),
    ])
    .where('ledger_transactions.borrower_id', '=', loan.borrower_id)
    .where('ledger_transactions.loan_id', '=', loan.loan_id)
    .where('ledger_transactions.kind', '<>', 'settlement')
    .orderBy('ledger_transactions.value_date')
    .orderBy('ledger_transactions.sequence')
    .execute()
  return rows.map((row) => ({
    transactionId: row.transaction_id,
    sequence: row.sequence,
    kind: row.kind as StatementKind,
    rootId: row.reverses_transaction_id ?? row.reallocates_transaction_id,
    valueDate: row.value_date,
    receivedOn: row.paid_at === null ? row.value_date : dayInIndia(row.paid_at),
    postedAt: row.posted_at,
    source: row.source,
    sourceId: row.kind === 'repayment' ? toPlainReference(row.source_id) : row.source_id,
    purpose: row.purpose,
    bankReference: row.bank_reference,
    amountPaise: row.amount_paise,
    lines: ((row.entries ?? []) as PackedEntry[]).map(([account, amount, instalmentNumber, chargeId]) => ({
      account: account as Account,
      amountPaise: paise(BigInt(amount)),
      instalmentNumber,
      chargeId,
    })),
  }))
}

export type DocumentBorrower = { name: string; phone: string | null; email: string | null; pan: string | null }

export async function readDocumentBorrower(sql: Sql, borrowerId: string): Promise<DocumentBorrower> {
  const user = await sql
    .selectFrom('users')
    .select(['first_name', 'last_name', 'phone', 'email', 'pan'])
    .where('user_id', '=', borrowerId)
    .executeTakeFirstOrThrow()
  return { name: `${user.first_name} ${user.last_name}`.trim(), phone: user.phone, email: user.email, pan: user.pan }
}
