import { isDeepStrictEqual } from 'node:util'
import { uuidv7 } from 'uuidv7'
import type { Sql } from '#server/database/connect.ts'
import { findDisbursalDayFault } from '#server/loan-changes/disburse.ts'
import { hashRepayment, type NewRepayment } from '#server/ledger/receive-money.ts'
import { normalizeBankReference, findTakenBankReferences } from '#server/ledger/bank-reference-store.ts'
import { toRateChange, type LoanRow } from '#server/loans/loan-store.ts'
import { findSanctionFault } from '#server/loans/product-terms.ts'
import type { Book, BookBorrower, BookDisbursal, BookLoan, BookPayment, BookRateChange } from './book.ts'
import { refuseFutureDay, type Faults } from './faults.ts'
import { planApplications, type ApplicationPlan } from './applications.ts'
import { findErasedPeople } from './erased.ts'
import { borrowerOf, loanOf, type Known } from './known.ts'
import {
  disbursalsOfBorrowers,
  loanNamesOfBorrowers,
  loansWithNumbers,
  productVersions,
  rateChangesOfBorrowers,
  repaymentsOfBorrowers,
  usersWithPhones,
  withErasure,
} from './store.ts'

/** A loan to which the book adds facts: a new loan, or an existing one with new facts. */
export type LoanToWrite = {
  row: LoanRow
  line: number
  isNew: boolean
  disbursals: BookDisbursal[]
  /** Of a new loan only. */
  rateChanges: BookRateChange[]
  payments: BookPayment[]
}

/** The records of a book that are not in the database. */
export type ImportPlan = {
  borrowers: { userId: string; borrower: BookBorrower }[]
  loans: LoanToWrite[]
  applications: ApplicationPlan
  unchanged: number
  /** Lines of people whose names and phones were erased: they are skipped. */
  erased: number
}

/**
 * Compares a book with the database. The same name with another content, an unknown name and a day
 * in the future are faults.
 */
export async function planImport(sql: Sql, book: Book, now: Date, faults: Faults): Promise<ImportPlan> {
  const lans = new Set([
    ...book.loans.keys(),
    ...[...book.disbursals.values(), ...book.rateChanges.values(), ...book.payments.values()].map(({ lan }) => lan),
  ])
  const rows = new Map((await loansWithNumbers(sql, [...lans])).map((row) => [row.lan, row]))
  const known: Known = {
    now,
    faults,
    plan: { borrowers: [], loans: [], applications: { fresh: [], moved: [], stages: [] }, unchanged: 0, erased: 0 },
    rows,
    erased: await findErasedPeople(sql, book, rows),
    userIds: new Map(),
    loans: new Map(),
    knownBorrowerIds: [],
  }
  await planBorrowers(sql, book, known)
  await planLoans(sql, book, known)
  await planDisbursals(sql, book, known)
  await planRateChanges(sql, book, known)
  await planPayments(sql, book, known)
  await planApplications(sql, book, known)
  known.plan.loans = [...known.loans.values()].filter(
    ({ isNew, disbursals, payments }) => isNew || disbursals.length > 0 || payments.length > 0,
  )
  return known.plan
}

async function planBorrowers(sql: Sql, { borrowers, loans, applications, stages }: Book, known: Known): Promise<void> {
  const phones = new Set([
    ...borrowers.keys(),
    ...[...loans.values()].map(({ phone }) => phone),
    ...[...applications.values(), ...stages.values()].map(({ phone }) => phone),
  ])
  const users = new Map((await usersWithPhones(sql, [...phones])).map((user) => [user.phone, user]))
  const withoutEmail = [...users.values()].filter(({ phone, email }) => email === null && (borrowers.get(phone)?.email ?? null) !== null)
  const erasures = await withErasure(
    sql,
    withoutEmail.map(({ user_id }) => user_id),
  )
  for (const borrower of borrowers.values()) {
    const { phone, line } = borrower
    const user = users.get(phone)
    if (user === undefined && known.erased.phones.has(phone)) {
      known.plan.erased += 1
      continue
    }
    if (user === undefined) {
      const userId = uuidv7()
      known.userIds.set(phone, userId)
      known.plan.borrowers.push({ userId, borrower })
      continue
    }
    const differs =
      user.kind !== 'borrower'
        ? 'belongs to a staff member'
        : differenceOf(
            {
              first_name: borrower.firstName,
              last_name: borrower.lastName,
              // While the law keeps the name of a person, an erasure removes the address alone.
              ...(!erasures.has(user.user_id) && { email: borrower.email, email_verified: borrower.emailVerified }),
              pan: borrower.pan,
            },
            user,
          )
    if (differs === null) known.plan.unchanged += 1
    else known.faults.add(line, 'phone', `${phone} ${differs}`)
  }
  for (const { phone, user_id, kind } of users.values()) if (kind === 'borrower') known.userIds.set(phone, user_id)
  known.knownBorrowerIds = [...users.values()].map(({ user_id }) => user_id)
}

/** The first field in which a record of the book differs from the database; null if none does. */
function differenceOf(given: Readonly<Record<string, unknown>>, there: Readonly<Record<string, unknown>>): string | null {
  const name = Object.keys(given).find((key) => given[key] !== there[key])
  return name === undefined ? null : `is stored with another ${name}: ${String(there[name] ?? 'none')}`
}

async function planLoans(sql: Sql, book: Book, known: Known): Promise<void> {
  const { faults, plan, rows, erased } = known
  const products = await productVersions(sql)
  const lansOfNames: LansOfNames = new Map()
  for (const row of await loanNamesOfBorrowers(sql, known.knownBorrowerIds))
    for (const { key } of namesOf(row)) lansOfNames.set(key, row.lan)
  for (const loan of book.loans.values()) {
    refuseFutureDay(faults, known.now, { line: loan.line, date: loan.sanctionedOn }, 'sanctioned_on')
    if (erased.lans.has(loan.lan)) {
      plan.erased += 1
      continue
    }
    const borrowerId = borrowerOf(known, book, loan)
    if (borrowerId === null) continue
    const terms = products.get(`${loan.product} ${loan.productVersion}`)
    if (terms === undefined) {
      faults.add(loan.line, 'product', `${loan.product} version ${loan.productVersion} is not loaded (kist product load)`)
      continue
    }
    const productFault = findSanctionFault(terms, loan.sanctionedOn)
    if (productFault !== null) {
      faults.add(loan.line, 'product', `${loan.product} version ${loan.productVersion}: ${productFault}`)
      continue
    }
    const row = rows.get(loan.lan)
    const given = rowOf(loan, borrowerId, row?.loan_id ?? uuidv7(), known.now)
    if (row === undefined) {
      refuseTakenNames(faults, given, loan.line, lansOfNames)
      known.loans.set(loan.lan, { row: given, line: loan.line, isNew: true, disbursals: [], rateChanges: [], payments: [] })
      continue
    }
    const { ledger_sequence: _sequence, created_at: _createdAt, apr_basis_points: _apr, apr_disbursed_on: _aprDay, ...agreed } = given
    const differs = differenceOf(agreed, row)
    if (differs === null) plan.unchanged += 1
    else faults.add(loan.line, 'lan', `${loan.lan} ${differs}`)
  }
  const stored = [...rows.values()].filter(({ lan }) => !erased.lans.has(lan))
  for (const row of stored) known.loans.set(row.lan, { row, line: 0, isNew: false, disbursals: [], rateChanges: [], payments: [] })
  const extra = stored.map(({ borrower_id }) => borrower_id)
  known.knownBorrowerIds = [...new Set([...known.knownBorrowerIds, ...extra])]
}

/** The loan numbers by the keys of {@link namesOf}. */
type LansOfNames = Map<string, string>
const nameColumns = ['lan', 'lead_id', 'partner_loan_id'] as const

/** The names of a loan, which are unique among the loans of its borrower (decision 5). */
function namesOf(row: Pick<LoanRow, 'borrower_id' | (typeof nameColumns)[number]>) {
  return nameColumns.flatMap((column) =>
    row[column] === null ? [] : [{ column, name: row[column], key: `${row.borrower_id} ${row[column]}` }],
  )
}

function refuseTakenNames(faults: Faults, row: LoanRow, line: number, lansOfNames: LansOfNames): void {
  for (const { column, name, key } of namesOf(row)) {
    const lan = lansOfNames.get(key) ?? row.lan
    if (lan !== row.lan) faults.add(line, column, `${name} is a name of the same borrower's loan ${lan} already`)
    lansOfNames.set(key, lan)
  }
}

function rowOf(loan: BookLoan, borrowerId: string, loanId: string, now: Date): LoanRow {
  return {
    borrower_id: borrowerId,
    loan_id: loanId,
    lan: loan.lan,
    lead_id: loan.leadId,
    partner_loan_id: loan.partnerLoanId,
    title: loan.title,
    product_code: loan.product,
    product_version: loan.productVersion,
    sanctioned_on: loan.sanctionedOn,
    sanctioned_paise: loan.sanctionedPaise,
    upfront_fees_paise: loan.upfrontFeesPaise,
    annual_rate_ppb: loan.annualRatePpb,
    instalments: loan.instalments,
    first_due_date: loan.firstDueDate,
    due_day: loan.dueDay,
    principal_grace_instalments: loan.principalGraceInstalments,
    fixed_instalment_paise: loan.fixedInstalmentPaise,
    moratorium_until: loan.moratoriumUntil,
    moratorium_interest: loan.moratoriumInterest,
    allow_tranche_request: loan.allowTrancheRequest,
    apr_basis_points: null,
    apr_disbursed_on: null,
    ledger_sequence: 0n,
    created_at: now,
  }
}

async function planDisbursals(sql: Sql, book: Book, known: Known): Promise<void> {
  const there = new Map(
    (await disbursalsOfBorrowers(sql, known.knownBorrowerIds)).map((row) => [`${row.loan_id} ${row.partner_tranche_id}`, row]),
  )
  for (const disbursal of book.disbursals.values()) {
    const loan = loanOf(known, book, disbursal)
    refuseFutureDay(known.faults, known.now, disbursal)
    if (loan === null) continue
    const row = there.get(`${loan.row.loan_id} ${disbursal.reference}`)
    const dayFault = findDisbursalDayFault(loan.row, disbursal.date)
    if (row === undefined && dayFault !== null) known.faults.add(disbursal.line, 'date', dayFault)
    else if (row === undefined) loan.disbursals.push(disbursal)
    else if (row.disbursed_on === disbursal.date && row.amount_paise === disbursal.amountPaise) known.plan.unchanged += 1
    else known.faults.add(disbursal.line, 'reference', `disbursal ${disbursal.reference} is stored with another date or amount`)
  }
}

/** Only new loans take past rate changes; a reset changes the rate of others and notifies them. */
async function planRateChanges(sql: Sql, book: Book, known: Known): Promise<void> {
  const there = new Map(
    (await rateChangesOfBorrowers(sql, known.knownBorrowerIds)).map((row) => [`${row.loan_id} ${row.effective_on}`, row]),
  )
  for (const rateChange of book.rateChanges.values()) {
    const loan = loanOf(known, book, rateChange)
    refuseFutureDay(known.faults, known.now, rateChange)
    if (loan === null) continue
    const row = there.get(`${loan.row.loan_id} ${rateChange.date}`)
    if (loan.isNew) loan.rateChanges.push(rateChange)
    else if (row === undefined)
      known.faults.add(rateChange.line, 'lan', `loan ${rateChange.lan} is in the portal: its rate is changed by a reset`)
    else if (isDeepStrictEqual(toRateChange(row), rateChange.change)) known.plan.unchanged += 1
    else known.faults.add(rateChange.line, 'date', `the rate change of ${rateChange.date} is stored with another rate`)
  }
}

/** The ledger source of a payment line. */
export const moneyOf = ({ mode, reference, amountPaise, date, purpose }: BookPayment): NewRepayment => ({
  source: mode,
  sourceId: reference,
  account: 'collection_bank',
  amountPaise,
  date,
  purpose,
})

async function planPayments(sql: Sql, book: Book, known: Known): Promise<void> {
  const there = new Map(
    (await repaymentsOfBorrowers(sql, known.knownBorrowerIds)).map((row) => [
      `${row.borrower_id} ${row.source} ${row.source_id}`,
      row.request_hash,
    ]),
  )
  const seen = new Map<string, number>()
  const references = [...book.payments.values()].flatMap(({ mode, reference }) => normalizeBankReference(mode, reference) ?? [])
  const taken = await findTakenBankReferences(sql, references)
  const linesOfReferences = new Map<string, number>()
  for (const payment of book.payments.values()) {
    const loan = loanOf(known, book, payment)
    refuseFutureDay(known.faults, known.now, payment)
    if (loan === null) continue
    const key = `${loan.row.borrower_id} ${payment.mode} ${payment.reference}`
    const hash = there.get(key)
    const earlier = seen.get(key)
    seen.set(key, payment.line)
    if (earlier !== undefined)
      known.faults.add(payment.line, 'reference', `the same borrower has ${payment.mode} ${payment.reference} in line ${earlier} already`)
    else if (hash === undefined) {
      if (refuseTakenReference(known.faults, payment, taken, linesOfReferences)) continue
      loan.payments.push(payment)
    } else if (hash.equals(hashRepayment(loan.row.loan_id, moneyOf(payment)))) known.plan.unchanged += 1
    else
      known.faults.add(
        payment.line,
        'reference',
        `${payment.mode} ${payment.reference} is stored with another loan, amount, date or purpose`,
      )
  }
}

/**
 * A bank reference is unique over all payments of book and portal.
 *
 * @returns whether the line is refused.
 */
function refuseTakenReference(
  faults: Faults,
  { mode, reference, line }: BookPayment,
  taken: ReadonlySet<string>,
  lines: Map<string, number>,
): boolean {
  const bankReference = normalizeBankReference(mode, reference)
  if (bankReference === null) return false
  const earlier = lines.get(bankReference)
  lines.set(bankReference, line)
  if (earlier !== undefined) faults.add(line, 'reference', `the bank reference ${reference} is that of line ${earlier} already`)
  else if (taken.has(bankReference))
    faults.add(line, 'reference', `the bank reference ${reference} is that of a payment on another loan already`)
  else return false
  return true
}
