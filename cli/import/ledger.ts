import { uuidv7 } from 'uuidv7'
import { byDate, type Day } from '#domain/calendar.ts'
import { loanStateToPost } from '#domain/loan-state.ts'
import type { Charge, LoanFacts, LoanTerms, ReceivedPayment } from '#domain/loans.ts'
import type { TransactionKind } from '#server/ledger/accounts.ts'
import { hashLines } from '#server/ledger/reconcile-ledger.ts'
import { computeChainHash } from '#server/ledger/chain.ts'
import { receiptPrefix } from '#server/ledger/receipt-store.ts'
import { computeFollowUpTime } from '#server/ledger/follow-up-store.ts'
import { line, sumCredits, type Line } from '#server/ledger/lines.ts'
import { formatSourceId } from '#server/ledger/plan.ts'
import { chargeKey, ledgerDay, paymentKey, computePostings, type Posting } from '#server/ledger/postings.ts'
import { toChainedEntry, toEntryColumns } from '#server/ledger/ledger-store.ts'
import { hashRepayment, type NewRepayment } from '#server/ledger/receive-money.ts'
import type { CopyValue } from '#server/database/bulk.ts'
import type { BookDisbursal, BookPayment } from './book.ts'
import { moneyOf, type LoanToWrite } from './plan.ts'

/** A new loan with its records from the book and new ids. */
export type NewLoan = LoanToWrite & {
  facts: LoanFacts
  paid: Map<string, BookPayment>
  disbursed: { id: string; disbursal: BookDisbursal }[]
}

/** The facts of a new loan in the order of their dates. */
export function withFacts(loan: LoanToWrite, terms: LoanTerms): NewLoan {
  const disbursed = loan.disbursals.toSorted(byDate).map((disbursal) => ({ id: uuidv7(), disbursal }))
  const paid = new Map<string, BookPayment>()
  const payments: ReceivedPayment[] = loan.payments.toSorted(byDate).map((payment) => {
    const paymentId = uuidv7()
    paid.set(paymentId, payment)
    return { paymentId, date: payment.date, amountPaise: payment.amountPaise, purpose: payment.purpose }
  })
  const facts: LoanFacts = {
    sanctionedPaise: loan.row.sanctioned_paise,
    terms,
    disbursals: disbursed.map(({ disbursal }) => ({ date: disbursal.date, amountPaise: disbursal.amountPaise })),
    rateChanges: loan.rateChanges.toSorted(byDate).map(({ change }) => change),
    charges: [],
    payments,
    refunds: [],
    foreclosureWaivers: [],
  }
  return { ...loan, facts, paid, disbursed }
}

export const transactionColumns = [
  'borrower_id',
  'loan_id',
  'transaction_id',
  'sequence',
  'kind',
  'source',
  'source_id',
  'value_date',
  'posted_at',
  'amount_paise',
  'purpose',
  'actor_id',
  'request_hash',
  'chain_hash',
] as const
export const entryColumns = [
  'borrower_id',
  'loan_id',
  'transaction_id',
  'line',
  'account',
  'debit_paise',
  'credit_paise',
  'instalment_number',
  'charge_id',
] as const

export const receiptColumns = [
  'borrower_id',
  'loan_id',
  'sequence',
  'receipt_number',
  'transaction_id',
  'amount_paise',
  'bank_reference',
  'issued_at',
] as const

/** The ledger of a new loan as rows to copy, in the order of their value dates. */
type FirstLedger = {
  transactions: CopyValue[][]
  entries: CopyValue[][]
  receipts: CopyValue[][]
  charges: readonly Charge[]
  followUps: CopyValue[][]
}

type Posted = {
  id: string
  kind: TransactionKind
  date: Day
  source: string
  sourceId: string
  lines: readonly Line[]
  purpose: string | null
  hash: Buffer
}

/** Computes the ledger of a new loan: its disbursals, and the domain's postings of its payments. */
export function firstLedger(loan: NewLoan, now: Date, actorId: string): FirstLedger {
  const { facts, row } = loan
  const asOf = ledgerDay(facts, now)
  const state = loanStateToPost(facts, asOf)
  const postings = facts.disbursals.length === 0 ? [] : computePostings(facts, state, asOf)
  const posted = [...loan.disbursed.map(postedDisbursal), ...postings.map((posting) => postedOf(loan, posting))].toSorted(byDate)
  const keys = new Set(postings.map(({ key }) => key))
  const transactions: CopyValue[][] = []
  const entries: CopyValue[][] = []
  const receipts: CopyValue[][] = []
  const at = now.toISOString()
  let previous: Buffer | null = null
  for (const [index, each] of posted.entries()) {
    const columns = {
      transaction_id: each.id,
      sequence: BigInt(index + 1),
      kind: each.kind,
      source: each.source,
      source_id: each.sourceId,
      value_date: each.date,
      posted_at: now,
      amount_paise: sumCredits(each.lines),
      purpose: each.purpose,
      actor_id: actorId,
      request_hash: each.hash,
    }
    const link: Buffer = computeChainHash(row.loan_id, previous, {
      ...columns,
      reverses_transaction_id: null,
      reallocates_transaction_id: null,
      quoted_ahead_for: null,
      entries: each.lines.map(toChainedEntry),
    })
    previous = link
    const values = {
      ...columns,
      borrower_id: row.borrower_id,
      loan_id: row.loan_id,
      posted_at: at,
      request_hash: bytes(each.hash),
      chain_hash: bytes(link),
    }
    transactions.push(transactionColumns.map((column) => values[column]))
    const paid = loan.paid.get(each.id)
    if (paid) receipts.push(firstReceipt(row, each.id, paid, BigInt(receipts.length + 1), at))
    each.lines.forEach((entry, number) => {
      const values = {
        ...toEntryColumns(entry),
        borrower_id: row.borrower_id,
        loan_id: row.loan_id,
        transaction_id: each.id,
        line: number + 1,
      }
      entries.push(entryColumns.map((column) => values[column]))
    })
  }
  const followUpAt = computeFollowUpTime(state, now)
  return {
    transactions,
    entries,
    receipts,
    charges: state.derivedCharges.filter(({ chargeId }) => keys.has(chargeKey(chargeId))),
    followUps: followUpAt === null ? [] : [[row.borrower_id, row.loan_id, followUpAt.toISOString()]],
  }
}

const firstReceipt = (
  { borrower_id, loan_id, lan }: NewLoan['row'],
  transactionId: string,
  { amountPaise, reference }: BookPayment,
  sequence: bigint,
  at: string,
): CopyValue[] => [borrower_id, loan_id, sequence, `${receiptPrefix(lan)}${sequence}`, transactionId, amountPaise, reference, at]

const bytes = (value: Buffer): string => `\\x${value.toString('hex')}`

const disbursalLines = (amountPaise: bigint): Line[] => [line('principal', -amountPaise), line('disbursal_bank', amountPaise)]

function postedDisbursal({ id, disbursal: { date, amountPaise } }: NewLoan['disbursed'][number]): Posted {
  const lines = disbursalLines(amountPaise)
  return { id: uuidv7(), kind: 'disbursal', date, source: 'disbursal', sourceId: id, lines, purpose: null, hash: hashLines(lines) }
}

function postedOf({ row, paid, facts }: NewLoan, { key, kind, valueDate, lines }: Posting): Posted {
  const payment = kind === 'repayment' ? facts.payments.find(({ paymentId }) => paymentKey(paymentId) === key) : undefined
  const known = payment && paid.get(payment.paymentId)
  if (!payment || !known)
    return {
      id: uuidv7(),
      kind,
      date: valueDate,
      source: kind,
      sourceId: formatSourceId(row.loan_id, key, 0),
      lines,
      purpose: null,
      hash: hashLines(lines),
    }
  const money: NewRepayment = moneyOf(known)
  return {
    id: payment.paymentId,
    kind,
    date: valueDate,
    source: money.source,
    sourceId: money.sourceId,
    lines: [line(money.account, -money.amountPaise), ...lines],
    purpose: money.purpose,
    hash: hashRepayment(row.loan_id, money),
  }
}
