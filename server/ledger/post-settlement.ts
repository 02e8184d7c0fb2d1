import { uuidv7 } from 'uuidv7'
import type { Day } from '#domain/calendar.ts'
import type { Paise } from '#domain/money.ts'
import { paise } from '#domain/money.ts'
import type { Sql } from '../database/connect.ts'
import { findBySource } from './ledger-store.ts'
import type { OwnLoan } from '../loans/own-loan.ts'
import { reconcileLedgerToFacts, appendLines } from './reconcile-ledger.ts'
import { line, netOf, type Line } from './lines.ts'

/** One payment or refund of a loan as the provider settled it. `sourceId` names it for good: `setl_…:pay_…`. */
export type SettledMoney = { source: string; sourceId: string; type: 'payment' | 'refund'; amountPaise: Paise; feePaise: Paise; date: Day }

/**
 * Posts that the provider paid out a payment, less its fee, or withheld a refund: what it held for this loan goes to the lender's
 * bank. Once: the same again answers what was posted at first. The caller holds the loan's row lock.
 *
 * @returns the id of its transaction.
 */
export async function postSettlement(sql: Sql, own: OwnLoan, settled: SettledMoney, now: Date, actorId: string): Promise<string> {
  const { source, sourceId, date } = settled
  const posted = await findBySource(sql, own.loan.borrower_id, source, sourceId)
  if (posted) return posted.transaction_id
  const transactionId = uuidv7()
  const header = { kind: 'settlement', source, source_id: sourceId, value_date: date } as const
  await appendLines(sql, own.loan, linesOf(settled), header, now, actorId, transactionId)
  await reconcileLedgerToFacts(sql, own, now, actorId)
  return transactionId
}

function linesOf({ type, amountPaise, feePaise }: SettledMoney): Line[] {
  const net = paise(amountPaise - feePaise)
  const paidOut = [line('provider_clearing', amountPaise), line('settlement_bank', -net), line('provider_fees', -feePaise)]
  return netOf(type === 'payment' ? paidOut : [line('provider_clearing', -amountPaise), line('settlement_bank', amountPaise)])
}
