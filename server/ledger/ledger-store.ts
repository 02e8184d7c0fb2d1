import { sql as raw } from 'kysely'
import type { Insertable } from 'kysely'
import { paise, zeroPaise } from '#domain/money.ts'
import type { Sql } from '../database/connect.ts'
import { executeTogether, statement } from '../database/statement.ts'
import type { LedgerTransactions } from '../database/schema.generated.ts'
import type { Account, TransactionKind } from './accounts.ts'
import type { LoanKey } from '../loans/loan-store.ts'
import { computeChainHash, type ChainedEntry } from './chain.ts'
import type { Line } from './lines.ts'
import { keyOfSourceId, type PostedTransaction } from './plan.ts'
import { chargeKey, waiverKey } from './postings.ts'

export type NewTransaction = Omit<
  Insertable<LedgerTransactions>,
  'borrower_id' | 'loan_id' | 'sequence' | 'chain_hash' | 'posted_at' | 'actor_id'
> & { lines: readonly Line[] }

/** The last transaction of a loan's ledger; sequence 0 of an empty one. */
type LedgerEnd = { sequence: bigint; chainHash: Buffer | null; postedAt: Date | null }

/**
 * Appends balanced transactions to the loan's ledger. The sequence has no gaps, and posting times
 * ascend even if the clock goes back. The caller holds the loan's row lock.
 *
 * @throws Error if `end` is not the end of the ledger.
 */
export async function appendTransactions(
  sql: Sql,
  { borrower_id, loan_id }: LoanKey,
  end: LedgerEnd,
  transactions: readonly NewTransaction[],
  now: Date,
  actorId: string,
): Promise<void> {
  if (transactions.length === 0) return
  const posted_at = end.postedAt !== null && end.postedAt > now ? end.postedAt : now
  let previous = end.chainHash
  const rows = transactions.map(({ lines, ...transaction }, index) => {
    const row = { ...transaction, borrower_id, loan_id, posted_at, actor_id: actorId, sequence: end.sequence + BigInt(index + 1) }
    const chain_hash: Buffer = computeChainHash(loan_id, previous, {
      ...row,
      purpose: row.purpose ?? null,
      quoted_ahead_for: row.quoted_ahead_for ?? null,
      reverses_transaction_id: row.reverses_transaction_id ?? null,
      reallocates_transaction_id: row.reallocates_transaction_id ?? null,
      entries: lines.map(toChainedEntry),
    })
    previous = chain_hash
    return { ...row, chain_hash }
  })
  const entries = transactions.flatMap(({ transaction_id, lines }) =>
    lines.map((each, index) => ({ borrower_id, loan_id, transaction_id, line: index + 1, ...toEntryColumns(each) })),
  )
  const [moved] = await executeTogether(sql, [
    sql
      .updateTable('loans')
      .set({ ledger_sequence: end.sequence + BigInt(rows.length) })
      .where('borrower_id', '=', borrower_id)
      .where('loan_id', '=', loan_id)
      .where('ledger_sequence', '=', end.sequence)
      .returning('ledger_sequence'),
    sql.insertInto('ledger_transactions').values(rows),
    sql.insertInto('ledger_entries').values(entries),
  ])
  if (moved.length !== 1) throw new Error(`The ledger of loan ${loan_id} does not end at ${end.sequence}`)
}

export async function readLedgerEnd(sql: Sql, loan: LoanKey): Promise<LedgerEnd> {
  const last = await sql
    .selectFrom('ledger_transactions')
    .select(['sequence', 'chain_hash', 'posted_at'])
    .where('borrower_id', '=', loan.borrower_id)
    .where('loan_id', '=', loan.loan_id)
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst()
  return endAt(last)
}

const endAt = (last: { sequence: bigint; chain_hash: Buffer; posted_at: Date } | undefined): LedgerEnd => ({
  sequence: last?.sequence ?? 0n,
  chainHash: last?.chain_hash ?? null,
  postedAt: last?.posted_at ?? null,
})

/** The entry columns of one line: a debit or a credit. */
export function toEntryColumns({ account, amountPaise, instalmentNumber, chargeId }: Line) {
  const isCredit = amountPaise > 0n
  return {
    account,
    debit_paise: isCredit ? zeroPaise : paise(-amountPaise),
    credit_paise: isCredit ? amountPaise : zeroPaise,
    instalment_number: instalmentNumber,
    charge_id: chargeId,
  }
}

/** The hashed form of a line. */
export const toChainedEntry = ({ account, amountPaise, instalmentNumber, chargeId }: Line): ChainedEntry => [
  account,
  String(amountPaise),
  instalmentNumber,
  chargeId,
]

type Source = { borrowerId: string; source: string; sourceId: string }

const postedBySource = statement<Source>()((sql, { borrowerId, source, sourceId }) =>
  sql
    .selectFrom('ledger_transactions')
    .select(['loan_id', 'transaction_id', 'value_date', 'amount_paise', 'purpose', 'request_hash'])
    .where('borrower_id', '=', borrowerId)
    .where('source', '=', source)
    .where('source_id', '=', sourceId),
)

/** Finds the borrower's transaction of a source, with the request that caused it. */
export async function findBySource(sql: Sql, borrowerId: string, source: string, sourceId: string) {
  const [[posted]] = await executeTogether(sql, [postedBySource.with({ borrowerId, source, sourceId })])
  return posted
}

/** {@link findBySource} and {@link readLedger} in one round trip. */
export async function findBySourceAndReadLedger(
  sql: Sql,
  { borrower_id: borrowerId, loan_id: loanId }: LoanKey,
  source: string,
  sourceId: string,
) {
  const reads = [postedBySource.with({ borrowerId, source, sourceId }), ledgerOfLoan.with({ borrowerId, loanId })] as const
  const [[posted], rows] = await executeTogether(sql, reads)
  return { posted, ledger: toLedger(rows as LedgerRow[]) }
}

/** True if the borrower's transaction is reversed. */
export async function isReversed(sql: Sql, borrowerId: string, posted: { loan_id: string; transaction_id: string }): Promise<boolean> {
  const reversal = await sql
    .selectFrom('ledger_transactions')
    .select('transaction_id')
    .where('borrower_id', '=', borrowerId)
    .where('loan_id', '=', posted.loan_id)
    .where('reverses_transaction_id', '=', posted.transaction_id)
    .executeTakeFirst()
  return reversal !== undefined
}

/**
 * Account, credit less debit, instalment number, charge id. The amount is text: JSON has no bigint.
 */
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

/** @param borrowerId of one borrower's transactions: Citus looks for it in each sub-select too. */
export const packedEntriesOf = (borrowerId?: string) => raw<PackedEntry[] | null>`(
  select json_agg(json_build_array(entry.account, (entry.credit_paise - entry.debit_paise)::text, entry.instalment_number, entry.charge_id) order by entry.line)
  from ledger_entries as entry
  where entry.borrower_id = ledger_transactions.borrower_id and entry.loan_id = ledger_transactions.loan_id and entry.transaction_id = ledger_transactions.transaction_id
    ${borrowerId === undefined ? raw`` : raw`and entry.borrower_id = ${borrowerId}`}
)`

/** The whole ledger of a loan, by sequence, and its end. */
export type Ledger = { transactions: PostedTransaction[]; end: LedgerEnd }
type LedgerRow = PackedTransaction & { sequence: bigint; chain_hash: Buffer }

const ledgerOfLoan = statement<{ borrowerId: string; loanId: string }>()((sql, { borrowerId, loanId }) =>
  sql
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
      'chain_hash',
      packedEntriesOf(borrowerId).as('entries'),
    ])
    .where('borrower_id', '=', borrowerId)
    .where('loan_id', '=', loanId)
    .orderBy('sequence'),
)

/** Reads the whole ledger of a loan. */
export async function readLedger(sql: Sql, { borrower_id: borrowerId, loan_id: loanId }: LoanKey): Promise<Ledger> {
  const [rows] = await executeTogether(sql, [ledgerOfLoan.with({ borrowerId, loanId })])
  return toLedger(rows as LedgerRow[])
}

const toLedger = (rows: readonly LedgerRow[]): Ledger => ({ transactions: rows.map(unpackTransaction), end: endAt(rows.at(-1)) })

export const unpackTransaction = (row: PackedTransaction): PostedTransaction => ({
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

/** The ids of a loan's repayments that were posted after an instant. */
export async function listRepaymentsSince(sql: Sql, { borrower_id, loan_id }: LoanKey, since: Date): Promise<ReadonlySet<string>> {
  const rows = await sql
    .selectFrom('ledger_transactions')
    .select('transaction_id')
    .where('borrower_id', '=', borrower_id)
    .where('loan_id', '=', loan_id)
    .where('kind', '=', 'repayment')
    .where('posted_at', '>', since)
    .execute()
  return new Set(rows.map(({ transaction_id }) => transaction_id))
}

/**
 * The first posting after a time that can make a closed loan owe again; null without one.
 *
 * @param besides `waived`: the charges that do not count; `takenBack`: those whose taking back does
 * not count either, which moves what was paid of them within the loan.
 */
export async function findReopeningTime(
  sql: Sql,
  { borrower_id, loan_id }: LoanKey,
  since: Date,
  besides: { waived: readonly string[]; takenBack: readonly string[] },
): Promise<Date | null> {
  const rows = await sql
    .selectFrom('ledger_transactions')
    .select(['kind', 'source_id', 'posted_at'])
    .where('borrower_id', '=', borrower_id)
    .where('loan_id', '=', loan_id)
    .where('kind', 'in', ['reversal', 'reallocation', 'charge', 'disbursal', 'waiver'])
    .where('posted_at', '>', since)
    .orderBy('posted_at')
    .execute()
  const charges = new Set(besides.waived.map(chargeKey))
  // All postings of one change of a loan have one time.
  const takenBackAt = besides.takenBack.map((chargeId) =>
    rows.findLast(({ kind, source_id }) => kind === 'waiver' && keyOfSourceId(source_id) === waiverKey(chargeId))?.posted_at.getTime(),
  )
  const canReopen = ({ kind, source_id, posted_at }: (typeof rows)[number]) =>
    kind !== 'waiver' && !(kind === 'charge' && charges.has(keyOfSourceId(source_id))) && !takenBackAt.includes(posted_at.getTime())
  return rows.find(canReopen)?.posted_at ?? null
}
