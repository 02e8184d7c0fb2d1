import { hash } from 'node:crypto'
import type { Day } from '#domain/calendar.ts'
import type { Paise } from '#domain/money.ts'

/** A hashed entry: account, credit less debit in paise, instalment number, charge id. */
export type ChainedEntry = readonly [account: string, amountPaise: string, instalmentNumber: number | null, chargeId: string | null]

/** All hashed columns of a ledger transaction. */
export type ChainedTransaction = {
  transaction_id: string
  sequence: bigint
  kind: string
  source: string
  source_id: string
  value_date: Day
  posted_at: Date
  amount_paise: Paise
  purpose: string | null
  reverses_transaction_id: string | null
  reallocates_transaction_id: string | null
  actor_id: string
  request_hash: Buffer
  /**
   * Set for a payment by an evening quote. Null adds nothing to the hash, so older transactions
   * keep their hash.
   */
  quoted_ahead_for: Day | null
  /** Null if the entries were deleted. */
  entries: readonly ChainedEntry[] | null
}

/**
 * The chain hash of a transaction: SHA-256 over the previous transaction's chain hash and all
 * columns. A changed or deleted transaction makes every later hash of the loan wrong (I24).
 *
 * @param previous the chain hash of the previous transaction; null for the loan's first.
 */
export function computeChainHash(loanId: string, previous: Buffer | null, transaction: ChainedTransaction): Buffer {
  const content = [
    loanId,
    previous?.toString('hex') ?? null,
    transaction.transaction_id,
    String(transaction.sequence),
    transaction.kind,
    transaction.source,
    transaction.source_id,
    transaction.value_date,
    transaction.posted_at.toISOString(),
    String(transaction.amount_paise),
    transaction.purpose,
    transaction.reverses_transaction_id,
    transaction.reallocates_transaction_id,
    transaction.actor_id,
    transaction.request_hash.toString('hex'),
    transaction.entries ?? [],
    ...(transaction.quoted_ahead_for === null ? [] : [transaction.quoted_ahead_for]),
  ]
  return hash('sha256', JSON.stringify(content), 'buffer')
}

/** The sequence of the first transaction whose chain hash is wrong; null if all are right. */
export function findBrokenSequence(loanId: string, transactions: readonly (ChainedTransaction & { chain_hash: Buffer })[]): bigint | null {
  let previous: Buffer | null = null
  for (const transaction of transactions) {
    if (!transaction.chain_hash.equals(computeChainHash(loanId, previous, transaction))) return transaction.sequence
    previous = transaction.chain_hash
  }
  return null
}
