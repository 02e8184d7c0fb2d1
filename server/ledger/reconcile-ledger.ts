import { hash } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { loanStateToPost } from '#domain/loan-state.ts'
import type { Charge, LoanState, ReceivedPayment } from '#domain/loans.ts'
import type { Sql } from '../database/connect.ts'
import { storeDerivedCharges } from '../loans/loan-store.ts'
import type { OwnLoan } from '../loans/own-loan.ts'
import type { ReceivingAccount } from './accounts.ts'
import { announceClosing } from './announce-closing.ts'
import { computeFollowUpTime, requestDebitCheck, requestMandateCheck, saveFollowUp } from './follow-up-store.ts'
import { appendTransactions, readLedgerEnd, readLedger, type Ledger, type NewTransaction } from './ledger-store.ts'
import { line, negateLines, sumCredits, type Line } from './lines.ts'
import { allocatedLines, groupTransactions, planPostings, formatSourceId, type PostingPlan, type TransactionGroup } from './plan.ts'
import { chargeKey, ledgerDay, paymentKey, computePostings, type Posting } from './postings.ts'

/** A received payment that the ledger does not have yet. The loan's facts already contain it. */
type ReceivedMoney = { payment: ReceivedPayment; account: ReceivingAccount; source: string; sourceId: string; requestHash: Buffer }

/** The columns of a ledger transaction that its kind decides. */
type TransactionHeader = Pick<NewTransaction, 'kind' | 'source' | 'source_id' | 'value_date'> &
  Partial<Pick<NewTransaction, 'purpose' | 'quoted_ahead_for' | 'request_hash' | 'reverses_transaction_id' | 'reallocates_transaction_id'>>

type Posted = { transactionId: string; header: TransactionHeader; lines: readonly Line[] }

/**
 * Appends to the loan's ledger until it agrees with the loan's facts: posts missing transactions,
 * reallocates payments that now settle other components, and reverses postings that no fact causes
 * any more. The domain computes all of this from the facts, so the ledger does not depend on the
 * order in which they were recorded. The caller holds the loan's row lock.
 *
 * A loan whose facts contradict each other (UNKNOWN) gets only the received money, as the
 * borrower's credit.
 */
export async function reconcileLedgerToFacts(
  sql: Sql,
  own: OwnLoan,
  now: Date,
  actorId: string,
  money: (ReceivedMoney & { ledger: Ledger }) | null = null,
): Promise<void> {
  const asOf = ledgerDay(own.facts, now)
  const state = loanStateToPost(own.facts, asOf)
  const { transactions, end } = money?.ledger ?? (await readLedger(sql, own.loan))
  const isUnknown = state.status === 'UNKNOWN'
  const expected = isUnknown ? [] : computePostings(own.facts, state, asOf)
  const missing = isUnknown
    ? buildCredit(money)
    : buildTransactions(own.loan.loan_id, planPostings(expected, groupTransactions(transactions)), money)
  await appendTransactions(
    sql,
    own.loan,
    end,
    missing.map((each) => toNewTransaction(withProposal(own, each))),
    now,
    actorId,
  )
  if (isUnknown) return
  await storeDerivedCharges(sql, own.loan, selectPostedCharges(state, expected))
  // Every change of a loan calls this function, so each short foreclosure and each closing with
  // credit gets a check.
  const followUpAt = computeFollowUpTime(state, now)
  if (followUpAt !== null) await saveFollowUp(sql, own.loan, followUpAt)
  if (state.status === 'CLOSED') {
    await requestMandateCheck(sql, own.loan, now)
    await announceClosing(sql, own, state, missing.length > 0, now)
  } else if (own.hasAnnouncedDebit && missing.length > 0) await requestDebitCheck(sql, own.loan, now)
}

/**
 * Reverses one transaction with all its reallocations. The caller then reconciles the ledger to the
 * remaining facts.
 */
export function appendReversal(sql: Sql, own: OwnLoan, group: TransactionGroup, now: Date, actorId: string): Promise<void> {
  const { header, lines } = buildReversal(group)
  return appendLines(sql, own, lines, header, now, actorId)
}

/**
 * Appends one transaction that is not computed from facts, such as a disbursal. The caller then
 * reconciles the ledger.
 */
export async function appendLines(
  sql: Sql,
  own: Pick<OwnLoan, 'loan' | 'proposalId'>,
  lines: readonly Line[],
  header: TransactionHeader,
  now: Date,
  actorId: string,
  transactionId: string = uuidv7(),
): Promise<void> {
  const added = toNewTransaction(withProposal(own, { transactionId, header, lines }))
  await appendTransactions(sql, own.loan, await readLedgerEnd(sql, own.loan), [added], now, actorId)
}

const selectPostedCharges = ({ derivedCharges }: LoanState, postings: readonly Posting[]): Charge[] => {
  const keys = new Set(postings.map(({ key }) => key))
  return derivedCharges.filter(({ chargeId }) => keys.has(chargeKey(chargeId)))
}

/** The transactions of a plan: reversals first, then new postings, then reallocations. */
function buildTransactions(loanId: string, plan: PostingPlan, money: ReceivedMoney | null): Posted[] {
  return [
    ...plan.undo.map(buildReversal),
    ...plan.add.map(({ posting, times }) =>
      posting.kind === 'repayment' ? buildRepayment(posting, money) : buildAddition(loanId, posting, times),
    ),
    ...plan.change.map(buildReallocation),
  ]
}

const buildAddition = (loanId: string, { key, kind, valueDate, lines }: Posting, times: number): Posted => ({
  transactionId: uuidv7(),
  header: { kind, source: kind, source_id: formatSourceId(loanId, key, times), value_date: valueDate },
  lines,
})

function buildRepayment({ key, lines }: Pick<Posting, 'key' | 'lines'>, money: ReceivedMoney | null): Posted {
  if (money === null || key !== paymentKey(money.payment.paymentId))
    throw new Error(`The facts contain ${key}, which is neither in the ledger nor received now`)
  const { payment, account, source, sourceId, requestHash } = money
  return {
    transactionId: payment.paymentId,
    header: {
      kind: 'repayment',
      source,
      source_id: sourceId,
      value_date: payment.date,
      purpose: payment.purpose,
      quoted_ahead_for: payment.quotedAheadFor ?? null,
      request_hash: requestHash,
    },
    lines: [line(account, -payment.amountPaise), ...lines],
  }
}

/** Received money of an UNKNOWN loan, as credit. */
const buildCredit = (money: ReceivedMoney | null): Posted[] =>
  money === null
    ? []
    : [buildRepayment({ key: paymentKey(money.payment.paymentId), lines: [line('excess', money.payment.amountPaise)] }, money)]

/** Negates a payment's previous allocation and adds the new one, in one transaction. */
const buildReallocation = ({ group, posting }: PostingPlan['change'][number]): Posted => ({
  transactionId: uuidv7(),
  header: {
    kind: 'reallocation',
    source: 'reallocation',
    source_id: uuidv7(),
    value_date: posting.valueDate,
    reallocates_transaction_id: group.rootId,
  },
  lines: [...negateLines(allocatedLines(group)), ...posting.lines],
})

/** Negates a transaction with all its reallocations, on the transaction's own value date. */
const buildReversal = ({ rootId, valueDate, lines }: TransactionGroup): Posted => ({
  transactionId: uuidv7(),
  header: { kind: 'reversal', source: 'reversal', source_id: rootId, value_date: valueDate, reverses_transaction_id: rootId },
  lines: negateLines(lines),
})

/**
 * Names the proposal as the source. The part of the source id after the first colon stays, because
 * it is the key of the posting. Money from and to the borrower keeps its mode and reference, which
 * receipts show and which identify it.
 */
const withProposal = ({ proposalId }: Pick<OwnLoan, 'proposalId'>, { transactionId, header, lines }: Posted): Posted =>
  proposalId === undefined || header.kind === 'repayment' || header.kind === 'refund'
    ? { transactionId, header, lines }
    : { transactionId, header: { ...header, source: 'operations', source_id: `${proposalId}:${keyPart(header.source_id)}` }, lines }

const keyPart = (sourceId: string): string => sourceId.slice(sourceId.indexOf(':') + 1)

const toNewTransaction = ({ transactionId, header, lines }: Posted): NewTransaction => ({
  request_hash: hashLines(lines),
  ...header,
  transaction_id: transactionId,
  amount_paise: sumCredits(lines),
  lines,
})

/** The request hash of a transaction that no request caused: the hash of its lines. */
export const hashLines = (lines: readonly Line[]): Buffer =>
  hash(
    'sha256',
    lines
      .map(({ account, amountPaise, instalmentNumber, chargeId }) => `${account} ${amountPaise} ${instalmentNumber} ${chargeId}`)
      .join('\n'),
    'buffer',
  )
