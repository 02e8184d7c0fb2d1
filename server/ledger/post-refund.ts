import { uuidv7 } from 'uuidv7'
import { dayInIndia, type Day } from '#domain/calendar.ts'
import type { Paise } from '#domain/money.ts'
import type { Sql } from '../database/connect.ts'
import { claimBankReference, normalizeBankReference } from './bank-reference-store.ts'
import { LedgerRefusal } from './ledger-refusal.ts'
import { findBySource } from './ledger-store.ts'
import type { OwnLoan } from '../loans/own-loan.ts'
import { reconcileLedgerToFacts, appendLines } from './reconcile-ledger.ts'
import { line } from './lines.ts'

/** A processed refund. `source` and `sourceId` identify it: `razorpay`, `rfnd_…`. */
type RefundedMoney = { source: string; sourceId: string; amountPaise: Paise }

/**
 * Posts a processed refund with today's value date: it debits `excess` and credits
 * `provider_clearing`. Posting the same refund again returns the first transaction. The caller
 * holds the loan's row lock.
 *
 * @returns the transaction id.
 */
export async function postRefund(sql: Sql, own: OwnLoan, refund: RefundedMoney, now: Date, actorId: string): Promise<string> {
  const { loan } = own
  const { source, sourceId, amountPaise } = refund
  const posted = await findBySource(sql, loan.borrower_id, source, sourceId)
  if (posted) return posted.transaction_id
  const transactionId = uuidv7()
  const lines = [line('excess', -amountPaise), line('provider_clearing', amountPaise)]
  const header = { kind: 'refund', source, source_id: sourceId, value_date: dayInIndia(now) } as const
  await appendLines(sql, { loan }, lines, header, now, actorId, transactionId)
  await reconcileLedgerToFacts(sql, own, now, actorId)
  return transactionId
}

/** Money that the lender's bank sent to the borrower. `date`: when it left that bank. */
export type BankTransfer = { mode: string; reference: string; amountPaise: Paise; date: Day }

/**
 * Posts credit that the lender's bank sent back. The transaction is the fact; mode and reference
 * identify it. The caller holds the loan's row lock.
 *
 * @returns the transaction id.
 * @throws LedgerRefusal if another transaction has the reference.
 */
export async function postCreditReturn(sql: Sql, own: OwnLoan, sent: BankTransfer, now: Date, actorId: string): Promise<string> {
  const { mode, reference, amountPaise, date } = sent
  const transactionId = await appendTransfer(sql, own, sent, { source: mode, source_id: reference }, now, actorId)
  const returned = { refundId: transactionId, date, amountPaise }
  await reconcileLedgerToFacts(sql, { ...own, facts: { ...own.facts, refunds: [...own.facts.refunds, returned] } }, now, actorId)
  return transactionId
}

/**
 * Posts a refund that the provider refused and the lender's bank sent instead. The refund remains
 * the fact and identifies the transaction. The caller holds the loan's row lock.
 *
 * @returns the transaction id.
 * @throws LedgerRefusal if another transaction has the bank reference.
 */
export async function postRefundByBank(
  sql: Sql,
  own: OwnLoan,
  { provider, refundId }: { provider: string; refundId: string },
  sent: BankTransfer,
  now: Date,
  actorId: string,
): Promise<string> {
  const transactionId = await appendTransfer(sql, own, sent, { source: provider, source_id: refundId }, now, actorId)
  await reconcileLedgerToFacts(sql, own, now, actorId)
  return transactionId
}

/**
 * Debits `excess` and credits `collection_bank`. The bank reference is claimed, as a received
 * payment's is.
 */
async function appendTransfer(
  sql: Sql,
  own: OwnLoan,
  { mode, reference, amountPaise, date }: BankTransfer,
  identity: { source: string; source_id: string },
  now: Date,
  actorId: string,
): Promise<string> {
  const { loan } = own
  const transactionId = uuidv7()
  const bankReference = normalizeBankReference(mode, reference)
  const isTaken =
    (await findBySource(sql, loan.borrower_id, mode, reference)) !== undefined ||
    (bankReference !== null && !(await claimBankReference(sql, loan, bankReference, transactionId)))
  if (isTaken) throw new LedgerRefusal(`The reference ${mode} ${reference} was recorded before`, 'reference_taken')
  const lines = [line('excess', -amountPaise), line('collection_bank', amountPaise)]
  await appendLines(sql, own, lines, { kind: 'refund', value_date: date, ...identity }, now, actorId, transactionId)
  return transactionId
}
