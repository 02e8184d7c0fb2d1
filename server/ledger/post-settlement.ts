import { uuidv7 } from 'uuidv7'
import type { Day } from '#domain/calendar.ts'
import type { Paise } from '#domain/money.ts'
import { paise } from '#domain/money.ts'
import type { Sql } from '../database/connect.ts'
import { findBySource } from './ledger-store.ts'
import type { OwnLoan } from '../loans/own-loan.ts'
import { reconcileLedgerToFacts, appendLines } from './reconcile-ledger.ts'
import { line, netLines, type Line } from './lines.ts'

/** A settled payment or refund of a loan. `sourceId` identifies it: `setl_…:pay_…`. */
type SettledMoney = { source: string; sourceId: string; type: 'payment' | 'refund'; amountPaise: Paise; feePaise: Paise; date: Day }

/**
 * Posts the settlement of a payment, less the provider's fee, or of a refund, from
 * `provider_clearing` to `settlement_bank`. Posting the same settlement line again returns the
 * first transaction. The caller holds the loan's row lock.
 *
 * @returns the transaction id.
 */
export async function postSettlement(sql: Sql, own: OwnLoan, settled: SettledMoney, now: Date, actorId: string): Promise<string> {
  const { source, sourceId, date } = settled
  const posted = await findBySource(sql, own.loan.borrower_id, source, sourceId)
  if (posted) return posted.transaction_id
  const transactionId = uuidv7()
  const header = { kind: 'settlement', source, source_id: sourceId, value_date: date } as const
  await appendLines(sql, own, buildLines(settled), header, now, actorId, transactionId)
  await reconcileLedgerToFacts(sql, own, now, actorId)
  return transactionId
}

function buildLines({ type, amountPaise, feePaise }: SettledMoney): Line[] {
  const net = paise(amountPaise - feePaise)
  const paidOut = [line('provider_clearing', amountPaise), line('settlement_bank', -net), line('provider_fees', -feePaise)]
  return netLines(type === 'payment' ? paidOut : [line('provider_clearing', -amountPaise), line('settlement_bank', amountPaise)])
}
