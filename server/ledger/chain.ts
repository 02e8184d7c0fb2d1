import { hash } from 'node:crypto'
import type { Day } from '#domain/calendar.ts'
import type { Paise } from '#domain/money.ts'

/** An entry as it is hashed: account, credit less debit in paise as text, instalment, charge. */
export type ChainedEntry = readonly [account: string, amountPaise: string, instalmentNumber: number | null, chargeId: string | null]

/** Everything that a ledger transaction says. */
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
  /** Of a payment by a quote made on the evening before; a transaction without one is hashed as before there were any. */
  quoted_ahead_for: Day | null
  /** Null where the entries were removed. */
  entries: readonly ChainedEntry[] | null
}

/**
 * A transaction's link in its loan's chain: sha256 over the link before it and over all that it says. Whoever changes or removes
 * a transaction, past all rights, breaks every link from there on (I24).
 *
 * @param previous the link of the transaction before; null for the loan's first.
 */
export function chainHash(loanId: string, previous: Buffer | null, said: ChainedTransaction): Buffer {
  const content = [
    loanId,
    previous?.toString('hex') ?? null,
    said.transaction_id,
    String(said.sequence),
    said.kind,
    said.source,
    said.source_id,
    said.value_date,
    said.posted_at.toISOString(),
    String(said.amount_paise),
    said.purpose,
    said.reverses_transaction_id,
    said.reallocates_transaction_id,
    said.actor_id,
    said.request_hash.toString('hex'),
    said.entries ?? [],
    ...(said.quoted_ahead_for === null ? [] : [said.quoted_ahead_for]),
  ]
  return hash('sha256', JSON.stringify(content), 'buffer')
}

/** The sequence of the first transaction that does not link to the one before it; null when the chain is whole. */
export function brokenLink(loanId: string, transactions: readonly (ChainedTransaction & { chain_hash: Buffer })[]): bigint | null {
  let previous: Buffer | null = null
  for (const transaction of transactions) {
    if (!transaction.chain_hash.equals(chainHash(loanId, previous, transaction))) return transaction.sequence
    previous = transaction.chain_hash
  }
  return null
}
