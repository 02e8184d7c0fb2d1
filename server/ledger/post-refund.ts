import { uuidv7 } from 'uuidv7'
import { dayInIndia, type Day } from '#domain/calendar.ts'
import type { Paise } from '#domain/money.ts'
import type { Sql } from '../database/connect.ts'
import { claimBankReference, normalizeBankReference } from './bank-reference-store.ts'
import { LedgerConflict } from './ledger-refusal.ts'
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

/**
 * Posts credit that the lender's bank sent back: it debits `excess` and credits `collection_bank`.
 * The transaction is the fact. Mode and reference identify it; the bank reference is claimed, as a
 * received payment's is. The caller holds the loan's row lock.
 *
 * @returns the transaction id.
 * @throws LedgerConflict if another transaction has the reference.
 */
export async function postCreditReturn(
  sql: Sql,
  own: OwnLoan,
  { source, sourceId, amountPaise, date }: RefundedMoney & { date: Day },
  now: Date,
  actorId: string,
): Promise<string> {
  const { loan, facts } = own
  const transactionId = uuidv7()
  const bankReference = normalizeBankReference(source, sourceId)
  const isTaken =
    (await findBySource(sql, loan.borrower_id, source, sourceId)) !== undefined ||
    (bankReference !== null && !(await claimBankReference(sql, loan, bankReference, transactionId)))
  if (isTaken) throw new LedgerConflict(`The reference ${source} ${sourceId} was recorded before`)
  const lines = [line('excess', -amountPaise), line('collection_bank', amountPaise)]
  const header = { kind: 'refund', source, source_id: sourceId, value_date: date } as const
  await appendLines(sql, own, lines, header, now, actorId, transactionId)
  const returned = { refundId: transactionId, date, amountPaise }
  await reconcileLedgerToFacts(sql, { ...own, facts: { ...facts, refunds: [...facts.refunds, returned] } }, now, actorId)
  return transactionId
}
