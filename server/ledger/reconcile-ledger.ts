import { hash } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import type { Day } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import type { Charge, LoanState, ReceivedPayment } from '#domain/loans.ts'
import { zeroPaise } from '#domain/money.ts'
import type { Sql } from '../database/connect.ts'
import { appendTransaction, ledgerOf } from './ledger-store.ts'
import { storeDerivedCharges } from '../loans/loan-store.ts'
import type { OwnLoan } from '../loans/own-loan.ts'
import type { MoneyAccount, TransactionKind } from './accounts.ts'
import { followUpTime, saveFollowUp } from './follow-up-store.ts'
import { line, negated, turnoverOf, type Line } from './lines.ts'
import { allocatedLines, groupsOf, planPostings, sourceIdOf, type Group, type Plan, type PostedTransaction } from './plan.ts'
import { chargeKey, ledgerDay, paymentKey, postingsOf, type Posting } from './postings.ts'

/** Money that came in and is not in the ledger yet. `received` is among the facts already. */
export type Receipt = { received: ReceivedPayment; account: MoneyAccount; source: string; sourceId: string; requestHash: Buffer }

type Desk = { sql: Sql; loan: OwnLoan['loan']; postedAt: Date; actorId: string; receipt: Receipt | null }

/**
 * Makes the loan's ledger say what its facts say, by appending to it: what is not in it yet is posted, a payment that now goes
 * to other components is reallocated, what does not hold any more is reversed. The domain decides all of it, so the ledger
 * is the same whatever order the facts became known in. The caller holds the loan's row lock.
 *
 * A loan whose facts do not add up (UNKNOWN) gets nothing but the money that came in, as the borrower's credit.
 */
export async function reconcileLedgerToFacts(
  sql: Sql,
  own: OwnLoan,
  now: Date,
  actorId: string,
  receipt: Receipt | null = null,
): Promise<void> {
  const asOf = ledgerDay(own.facts, now)
  const state = loanStateDuring(own.facts, asOf)
  const transactions = await ledgerOf(sql, own.loan)
  const desk: Desk = { sql, loan: own.loan, postedAt: bookingTime(transactions, now), actorId, receipt }
  if (state.status === 'UNKNOWN') {
    if (receipt) await add(desk, { posting: creditOf(receipt), times: 0 })
    return
  }
  const expected = postingsOf(own.facts, state, asOf)
  await applyPostingPlan(desk, planPostings(expected, groupsOf(transactions)))
  await storeDerivedCharges(sql, own.loan, postedCharges(state, expected))
  // Every change of a loan passes here, so nothing that closes a loan with credit, or leaves a foreclosure short, is missed.
  const followUpAt = followUpTime(state, now)
  if (followUpAt !== null) await saveFollowUp(sql, own.loan, followUpAt)
}

/** Takes one transaction back, with all its reallocations. The caller aligns the ledger with what is left of the facts. */
export function appendReversal(sql: Sql, loan: OwnLoan['loan'], group: Group, now: Date, actorId: string): Promise<void> {
  return appendLines(sql, loan, negated(group.lines), reversalOf(group), now, actorId)
}

/** Appends one transaction that no computation decides, such as a disbursal. The caller aligns the ledger after it. */
export async function appendLines(
  sql: Sql,
  loan: OwnLoan['loan'],
  lines: readonly Line[],
  said: Said,
  now: Date,
  actorId: string,
  transactionId: string = uuidv7(),
): Promise<void> {
  await append({ sql, loan, postedAt: bookingTime(await ledgerOf(sql, loan), now), actorId, receipt: null }, transactionId, lines, said)
}

/** Booking never goes back in time, even where the clock does. */
function bookingTime(transactions: readonly PostedTransaction[], now: Date): Date {
  const last = transactions.at(-1)?.postedAt ?? now
  return last > now ? last : now
}

const postedCharges = ({ derivedCharges }: LoanState, postings: readonly Posting[]): Charge[] => {
  const keys = new Set(postings.map(({ key }) => key))
  return derivedCharges.filter(({ chargeId }) => keys.has(chargeKey(chargeId)))
}

const creditOf = ({ received }: Receipt): Posting => ({
  key: paymentKey(received.paymentId),
  kind: 'repayment',
  valueDate: received.date,
  lines: [line('excess', received.amountPaise)],
})

async function applyPostingPlan(desk: Desk, plan: Plan): Promise<void> {
  for (const group of plan.undo) await append(desk, uuidv7(), negated(group.lines), reversalOf(group))
  for (const addition of plan.add) await add(desk, addition)
  for (const change of plan.change) await reallocate(desk, change)
}

async function add(desk: Desk, { posting, times }: Plan['add'][number]): Promise<void> {
  if (posting.kind === 'repayment') return addReceipt(desk, posting)
  await append(desk, uuidv7(), posting.lines, {
    kind: posting.kind,
    source: posting.kind,
    source_id: sourceIdOf(desk.loan.loan_id, posting.key, times),
    value_date: posting.valueDate,
  })
}

async function addReceipt(desk: Desk, { key, lines }: Posting): Promise<void> {
  const { receipt } = desk
  if (receipt === null || key !== paymentKey(receipt.received.paymentId))
    throw new Error(`The facts have ${key}, which the ledger does not know`)
  const { received, account, source, sourceId, requestHash } = receipt
  await append(desk, received.paymentId, [line(account, -received.amountPaise), ...lines], {
    kind: 'repayment',
    source,
    source_id: sourceId,
    value_date: received.date,
    purpose: received.purpose,
    quoted_ahead_for: received.quotedAheadFor ?? null,
    request_hash: requestHash,
  })
}

/** What the payment was allocated to is taken back and put where it belongs now, in one transaction. */
async function reallocate(desk: Desk, { group, posting }: Plan['change'][number]): Promise<void> {
  await append(desk, uuidv7(), [...negated(allocatedLines(group)), ...posting.lines], {
    kind: 'reallocation',
    source: 'reallocation',
    source_id: uuidv7(),
    value_date: posting.valueDate,
    reallocates_transaction_id: group.rootId,
  })
}

/** What takes back a transaction with all its reallocations, so that together they come to nothing, on the day it was of. */
const reversalOf = ({ rootId, valueDate }: Group): Said => ({
  kind: 'reversal',
  source: 'reversal',
  source_id: rootId,
  value_date: valueDate,
  reverses_transaction_id: rootId,
})

/** What a transaction says of itself beside its lines. */
export type Said = {
  kind: TransactionKind
  source: string
  source_id: string
  value_date: Day
  purpose?: string | null
  quoted_ahead_for?: Day | null
  request_hash?: Buffer
  reverses_transaction_id?: string
  reallocates_transaction_id?: string
}

async function append({ sql, loan, postedAt, actorId }: Desk, transactionId: string, lines: readonly Line[], said: Said): Promise<void> {
  await appendTransaction(
    sql,
    loan,
    {
      request_hash: hashOfLines(lines),
      ...said,
      transaction_id: transactionId,
      posted_at: postedAt,
      amount_paise: turnoverOf(lines),
      actor_id: actorId,
    },
    lines.map(entryOf),
  )
}

/** What stands in the place of a request where none asked: the content itself. */
export const hashOfLines = (lines: readonly Line[]): Buffer =>
  hash(
    'sha256',
    lines
      .map(({ account, amountPaise, instalmentNumber, chargeId }) => `${account} ${amountPaise} ${instalmentNumber} ${chargeId}`)
      .join('\n'),
    'buffer',
  )

export function entryOf({ account, amountPaise, instalmentNumber, chargeId }: Line) {
  const isCredit = amountPaise > 0n
  return {
    account,
    debit_paise: isCredit ? zeroPaise : (-amountPaise as typeof amountPaise),
    credit_paise: isCredit ? amountPaise : zeroPaise,
    instalment_number: instalmentNumber,
    charge_id: chargeId,
  }
}
