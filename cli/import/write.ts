import { byDate, dayInIndia, type Day } from '#domain/calendar.ts'
import { givenInstalmentFault } from '#domain/given-instalment.ts'
import { factsFault } from '#domain/loan-facts.ts'
import { borrowerPermissions } from '#contract/permissions.ts'
import { createFirstEntry, logAccesses } from '#server/access-log.ts'
import type { BulkTransaction, CopyValue } from '#server/database/bulk.ts'
import type { Sql } from '#server/database/connect.ts'
import { normalizeBankReference } from '#server/ledger/bank-reference-store.ts'
import { disburse } from '#server/loan-changes/disburse.ts'
import { LedgerRefusal } from '#server/ledger/ledger-refusal.ts'
import { refuseShortRefund } from '#server/loan-changes/refuse-short-refund.ts'
import { receiveMoney, withPayment } from '#server/ledger/receive-money.ts'
import { refuseReferenceOfProvider } from '#server/loan-changes/record-payment.ts'
import { changeLoanInTransaction, type LoanTransaction } from '#server/loan-changes/change-loan.ts'
import { LinkOpenFailure } from '#server/loan-changes/change-refusals.ts'
import { readTerms } from '#server/loans/facts-store.ts'
import { withApr } from '#server/loans/apr-store.ts'
import { rateChangeRow } from '#server/loans/loan-store.ts'
import { lockOwnLoan, type OwnLoan } from '#server/loans/own-loan.ts'
import { Failure } from '#server/http/failure.ts'
import { operatorEntry, type Operator } from '#server/staff/operator.ts'
import { releaseTranche } from '#server/tranches/decide-tranche.ts'
import { findTranches } from '#server/tranches/tranche-store.ts'
import { addSearchWords } from '#server/staff/search-words-store.ts'
import { applicantsOf, writeApplications } from './applications.ts'
import type { BookDisbursal } from './book.ts'
import { BookRefused, type Faults } from './faults.ts'
import { entryColumns, firstLedger, receiptColumns, transactionColumns, withFacts, type NewLoan } from './ledger.ts'
import { moneyOf, type ImportPlan, type LoanToWrite } from './plan.ts'

/** Time and operator of an import. */
type Import = { now: Date; operator: Operator }

const loansPerBatch = 1_000
const borrowersPerBatch = 10_000

const userColumns = [
  'user_id',
  'phone',
  'email',
  'email_verified',
  'pan',
  'first_name',
  'last_name',
  'kind',
  'roles',
  'permissions',
  'created_at',
] as const
const loanColumns = [
  ...([
    'borrower_id',
    'loan_id',
    'lan',
    'lead_id',
    'partner_loan_id',
    'title',
    'product_code',
    'product_version',
    'sanctioned_on',
    'sanctioned_paise',
    'upfront_fees_paise',
    'annual_rate_ppb',
    'instalments',
  ] as const),
  ...([
    'first_due_date',
    'due_day',
    'principal_grace_instalments',
    'fixed_instalment_paise',
    'moratorium_until',
    'moratorium_interest',
    'allow_tranche_request',
    'apr_basis_points',
    'apr_disbursed_on',
  ] as const),
] as const

const rateChangeColumns = ['borrower_id', 'loan_id', 'effective_on', 'annual_rate_ppb', 'keep', 'instalment_paise'] as const

/** The new loans with their facts; adds a fault for inconsistent facts. */
export async function readyNewLoans(transaction: BulkTransaction, plan: ImportPlan, now: Date, faults: Faults): Promise<NewLoan[]> {
  const fresh = plan.loans.filter(({ isNew }) => isNew)
  if (fresh.length === 0) return []
  const terms = await readTerms(transaction.sql)
  const today = dayInIndia(now)
  return fresh.map((loan) => {
    const ready = withFacts(loan, terms(loan.row))
    const fault = factsFault(ready.facts, today)
    if (fault !== null) faults.add(loan.line, null, `loan ${loan.row.lan} does not add up: ${fault}`)
    for (const { line, change } of loan.rateChanges) {
      const reason = givenInstalmentFault(ready.facts, change)
      if (reason !== null) faults.add(line, 'amount', reason)
    }
    return ready
  })
}

/** Writes people, applications and new loans with their whole ledger. */
export async function writeNew(
  transaction: BulkTransaction,
  plan: ImportPlan,
  loans: readonly NewLoan[],
  { now, operator }: Import,
  onProgress: (loansDone: number) => void,
): Promise<void> {
  const { copy } = transaction
  const at = now.toISOString()
  const permissions = `{${borrowerPermissions.join(',')}}`
  await copy(
    'users',
    userColumns,
    plan.borrowers.map(({ userId, borrower }) => [
      userId,
      borrower.phone,
      borrower.email,
      borrower.emailVerified,
      borrower.pan,
      borrower.firstName,
      borrower.lastName,
      'borrower',
      '{}',
      permissions,
      at,
    ]),
  )
  for (let start = 0; start < plan.borrowers.length; start += borrowersPerBatch)
    await addSearchWords(
      transaction.sql,
      plan.borrowers.slice(start, start + borrowersPerBatch).map(({ borrower }) => borrower),
    )
  await copy(
    'user_phones',
    ['phone', 'user_id'],
    plan.borrowers.map(({ userId, borrower }) => [borrower.phone, userId]),
  )
  await writeApplications(transaction, plan.applications)
  // The next batch is computed while the database stores this one.
  let writing = Promise.resolve()
  for (let start = 0; start < loans.length; start += loansPerBatch) {
    const rows = rowsOf(loans.slice(start, start + loansPerBatch), { now, operator })
    await writing
    writing = copyRows(copy, rows)
    // It is awaited later; until then its rejection must not count as unhandled.
    writing.catch(() => {})
    onProgress(start)
  }
  await writing
}

type Rows = {
  loans: CopyValue[][]
  numbers: CopyValue[][]
  disbursals: CopyValue[][]
  rateChanges: CopyValue[][]
  charges: CopyValue[][]
  transactions: CopyValue[][]
  entries: CopyValue[][]
  receipts: CopyValue[][]
  bankReferences: CopyValue[][]
  followUps: CopyValue[][]
}

function rowsOf(loans: readonly NewLoan[], { now, operator }: Import): Rows {
  const rows: Rows = {
    loans: [],
    numbers: [],
    disbursals: [],
    rateChanges: [],
    charges: [],
    transactions: [],
    entries: [],
    receipts: [],
    bankReferences: [],
    followUps: [],
  }
  for (const loan of loans) {
    const { borrower_id, loan_id, lan } = loan.row
    const { transactions, entries, receipts, charges, followUps } = firstLedger(loan, now, operator.actorId)
    const rated = withApr(loan.row, loan.facts)
    rows.loans.push([...loanColumns.map((column) => rated[column]), transactions.length, loan.row.created_at.toISOString()])
    rows.numbers.push([lan, borrower_id, loan_id])
    for (const { id, disbursal } of loan.disbursed)
      rows.disbursals.push([borrower_id, loan_id, id, disbursal.date, disbursal.amountPaise, disbursal.reference])
    for (const change of loan.facts.rateChanges) {
      const row = rateChangeRow(loan.row, change)
      rows.rateChanges.push(rateChangeColumns.map((column) => row[column]))
    }
    for (const { chargeId, chargeType, date, amountPaise, penal } of charges)
      rows.charges.push([borrower_id, loan_id, chargeId, chargeType, date, amountPaise, penal, true])
    rows.transactions.push(...transactions)
    rows.entries.push(...entries)
    rows.receipts.push(...receipts)
    for (const [transactionId, { mode, reference }] of loan.paid) {
      const bankReference = normalizeBankReference(mode, reference)
      if (bankReference !== null) rows.bankReferences.push([bankReference, borrower_id, loan_id, transactionId])
    }
    rows.followUps.push(...followUps)
  }
  return rows
}

async function copyRows(copy: BulkTransaction['copy'], rows: Rows): Promise<void> {
  await copy('loans', [...loanColumns, 'ledger_sequence', 'created_at'], rows.loans)
  await copy('loan_numbers', ['lan', 'borrower_id', 'loan_id'], rows.numbers)
  await copy(
    'disbursals',
    ['borrower_id', 'loan_id', 'disbursal_id', 'disbursed_on', 'amount_paise', 'partner_tranche_id'],
    rows.disbursals,
  )
  await copy('rate_changes', rateChangeColumns, rows.rateChanges)
  await copy(
    'charges',
    ['borrower_id', 'loan_id', 'charge_id', 'charge_type', 'charged_on', 'amount_paise', 'penal', 'derived'],
    rows.charges,
  )
  await copy('ledger_transactions', transactionColumns, rows.transactions)
  await copy('ledger_entries', entryColumns, rows.entries)
  await copy('receipts', receiptColumns, rows.receipts)
  await copy('bank_references', ['reference', 'borrower_id', 'loan_id', 'transaction_id'], rows.bankReferences)
  await copy('loan_follow_ups', ['borrower_id', 'loan_id', 'next_check_at'], rows.followUps)
}

/**
 * Adds new facts to existing loans by the one function that changes a
 * loan (decision 53): a received payment cancels an open payment link, a disbursal waits
 * for its end.
 */
export async function writeLater(
  { sql }: BulkTransaction,
  loans: readonly LoanToWrite[],
  file: string,
  { now, operator }: Import,
  faults: Faults,
): Promise<void> {
  for (const loan of loans) {
    const { row, disbursals } = loan
    // The line that a fault is about: that of the fact being written.
    let line = 0
    const change = {
      borrowerId: row.borrower_id,
      loanId: row.loan_id,
      actor: operator,
      whileLinkOpen: disbursals.length > 0 ? ('refuse' as const) : ('cancel_after' as const),
      write: async ({ own }: LoanTransaction) => {
        let changed = own
        for (const fact of laterFacts(sql, loan, { now, operator })) {
          line = fact.line
          changed = await fact.addTo(changed)
          const fault = factsFault(changed.facts, dayInIndia(now))
          if (fault !== null) throw new LedgerRefusal(`it would not add up: ${fault}`)
        }
        // The disbursal is what an open link or a presented debit refuses next.
        line = disbursals[0]?.line ?? line
        return { answer: null, log: { action: 'book_imported' as const, detail: { file } } }
      },
    }
    try {
      await changeLoanInTransaction(sql, change, now)
    } catch (error) {
      faults.add(line, null, `loan ${row.lan}${refusalText(error)}`)
    }
  }
  if (faults.count > 0) throw new BookRefused(faults)
}

/** Why a loan does not take the facts of a book, after its number. Rethrows any other error. */
function refusalText(error: unknown): string {
  if (error instanceof LedgerRefusal) return `: ${error.message}`
  if (error instanceof LinkOpenFailure) return ` has the open payment link ${error.link.reference}: its disbursal waits for the link's end`
  if (error instanceof Failure && error.code === 'AutopayInProgress')
    return " has a debit in progress at the bank: its disbursal waits for the debit's outcome"
  throw error
}

/**
 * Records a disbursal. One that pays out a tranche of the portal releases it, so that the tranche
 * is not paid out once more.
 *
 * @throws LedgerRefusal if the tranche of that name is not approved yet, or has another amount.
 */
async function payOut(
  sql: Sql,
  own: OwnLoan,
  { reference, date, amountPaise }: BookDisbursal,
  { now, operator }: Import,
): Promise<OwnLoan> {
  const transaction = { sql, own, now, actorId: operator.actorId }
  const tranche = (await findTranches(sql, own.loan)).find((one) => one.partner_tranche_id === reference)
  if (tranche === undefined || tranche.stage === 'rejected') return disburse(transaction, { reference, date, amountPaise })
  if (tranche.amount_paise !== amountPaise)
    throw new LedgerRefusal(`tranche ${reference} was asked for in the portal with another amount`, 'tranche_decided')
  await releaseTranche(transaction, reference, date)
  return lockOwnLoan(sql, own.loan.borrower_id, own.loan.loan_id)
}

/** The new facts of a loan in the order in which they are added. */
function laterFacts(sql: Sql, { disbursals, payments }: LoanToWrite, { now, operator }: Import) {
  const inOrder = <Fact extends { line: number; date: Day }>(facts: readonly Fact[]) =>
    facts.toSorted((left, right) => byDate(left, right) || left.line - right.line)
  return [
    ...inOrder(disbursals).map((disbursal) => ({
      line: disbursal.line,
      addTo: (own: OwnLoan) => payOut(sql, own, disbursal, { now, operator }),
    })),
    ...inOrder(payments).map((payment) => ({
      line: payment.line,
      addTo: async (own: OwnLoan): Promise<OwnLoan> => {
        await refuseReferenceOfProvider(sql, own, payment.mode, payment.reference)
        const received = await receiveMoney(sql, own, moneyOf(payment), now, operator.actorId)
        const facts = withPayment(own.facts, received)
        refuseShortRefund(own.facts, facts, now)
        return { ...own, facts }
      },
    })),
  ]
}

/**
 * Writes an access-log entry for every borrower with new records; changes of existing loans
 * have their own.
 */
export async function logImport({ sql, copy }: BulkTransaction, plan: ImportPlan, file: string, { now, operator }: Import): Promise<void> {
  const entryOf = (subjectId: string) => operatorEntry(operator, { at: now, subjectId, action: 'book_imported', detail: { file } })
  const fresh = new Set(plan.borrowers.map(({ userId }) => userId))
  const lines = [...fresh].map((userId) => createFirstEntry(entryOf(userId)))
  const hashText = ({ hash }: (typeof lines)[number]) => `\\x${hash.toString('hex')}`
  await copy(
    'access_log_heads',
    ['subject_id', 'sequence', 'hash'],
    lines.map((line) => [line.subject_id, line.sequence, hashText(line)]),
  )
  await copy(
    'access_log',
    ['subject_id', 'entry_id', 'at', 'actor_id', 'action', 'outcome', 'detail', 'sequence', 'hash'],
    lines.map((line) => [
      line.subject_id,
      line.entry_id,
      line.at.toISOString(),
      line.actor_id,
      line.action,
      line.outcome,
      JSON.stringify(line.detail),
      line.sequence,
      hashText(line),
    ]),
  )
  const borrowersOf = (isNew: boolean) => plan.loans.filter((loan) => loan.isNew === isNew).map(({ row }) => row.borrower_id)
  const changed = new Set(borrowersOf(false))
  const known = new Set([...borrowersOf(true), ...applicantsOf(plan.applications)])
  const others = [...known].filter((userId) => !fresh.has(userId) && !changed.has(userId))
  await logAccesses(sql, others.map(entryOf))
}
