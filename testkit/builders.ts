import { uuidv7 } from 'uuidv7'
import * as z from 'zod/mini'
import { borrowerPermissions, type Permission } from '#contract/permissions.ts'
import { addMonths, dayOfMonth, startOfDayInIndiaMs, type Day } from '#domain/calendar.ts'
import { rupeesToPaise } from '#domain/money.ts'
import type { Database, Sql } from '#server/database/connect.ts'
import { appendTransactions, readLedgerEnd } from '#server/ledger/ledger-store.ts'
import { line } from '#server/ledger/lines.ts'
import { storeApr } from '#server/loans/apr-store.ts'
import { lockLoan } from '#server/loans/loan-store.ts'
import { lockOwnLoan } from '#server/loans/own-loan.ts'
import { addSearchWords } from '#server/staff/search-words-store.ts'
import { productTerms, type ProductTerms } from '#server/loans/product-terms.ts'

export type Person = {
  phone: string
  firstName: string
  lastName: string
  email?: string
  emailVerified?: boolean
  pan?: string
  kind?: 'borrower' | 'staff'
  roles?: readonly string[]
  permissions?: readonly Permission[]
  disabled?: boolean
}

/**
 * Adds a person; by default a borrower with all permissions of borrowers.
 *
 * @returns the user's id.
 */
export async function addPerson(database: Database, now: Date, person: Person): Promise<string> {
  const userId = uuidv7()
  await database.asSystem(async (sql) => {
    await sql
      .insertInto('users')
      .values({
        user_id: userId,
        phone: person.phone,
        email: person.email ?? null,
        email_verified: person.emailVerified ?? false,
        pan: person.pan ?? null,
        first_name: person.firstName,
        last_name: person.lastName,
        kind: person.kind ?? 'borrower',
        roles: [...(person.roles ?? [])],
        permissions: [...(person.permissions ?? borrowerPermissions)],
        disabled_at: person.disabled ? now : null,
        created_at: now,
      })
      .execute()
    await sql.insertInto('user_phones').values({ phone: person.phone, user_id: userId }).execute()
    const { firstName, lastName, email = null } = person
    if ((person.kind ?? 'borrower') === 'borrower') await addSearchWords(sql, [{ firstName, lastName, email }])
  })
  return userId
}

/** The terms of the demo lender's product; tests may add variants under other codes. */
export const educationLoan: z.input<typeof productTerms> = {
  name: 'Education loan',
  rate_type: 'fixed',
  interest: 'monthly',
  instalment_rounding: 'rupee_up',
  allocation: 'instalments_first',
  late_charge: { grace_days: 3, amount: 500 },
  prepayment_charge: null,
  part_payment_minimum: null,
  link_maximum: 500_000,
  foreclosure_waive_maximum: 1_000,
  disclosed_charges: ['LATE_PAYMENT_CHARGE', 'BOUNCE_CHARGE', 'CHEQUE_BOUNCE', 'LEGAL_NOTICE_FEE', 'VISIT_CHARGE', 'PREPAYMENT_CHARGE'],
  purpose: 'education',
}

/**
 * Adds version 1 of a product, unless it exists.
 *
 * @returns its decoded terms.
 */
export async function addProduct(database: Database, now: Date, code: string, terms: z.input<typeof productTerms>): Promise<ProductTerms> {
  await database.asSystem((sql) =>
    sql
      .insertInto('loan_products')
      .values({ product_code: code, product_version: 1, terms: JSON.stringify(terms), loaded_at: now })
      .onConflict((conflict) => conflict.columns(['product_code', 'product_version']).doNothing())
      .execute(),
  )
  return z.decode(productTerms, terms)
}

export type NewLoan = {
  lan: string
  leadId?: string | null
  partnerLoanId?: string | null
  title: string
  product?: string
  /** Absent: the day of the first disbursal, or three months before the first due date. */
  sanctionedOn?: Day
  sanctionedRupees: number
  disbursals: readonly { date: Day; rupees: number }[]
  annualRatePercent: number
  instalments: number
  firstDueDate: Day
  dueDay?: number
  moratorium?: { until: Day; interest: 'paid' | 'deferred' }
  fixedInstalmentRupees?: number
  principalGraceInstalments?: number
}
export type AddedLoan = { borrowerId: string; loanId: string; lan: string }

/** Adds a loan with its disbursals, in the tables and in the ledger. */
export async function addLoan(database: Database, now: Date, borrowerId: string, loan: NewLoan): Promise<AddedLoan> {
  const loanId = uuidv7()
  await database.asBorrower(borrowerId, async (sql) => {
    await sql
      .insertInto('loans')
      .values({
        borrower_id: borrowerId,
        loan_id: loanId,
        lan: loan.lan,
        lead_id: loan.leadId ?? null,
        partner_loan_id: loan.partnerLoanId ?? null,
        title: loan.title,
        product_code: loan.product ?? 'education',
        product_version: 1,
        sanctioned_on: loan.sanctionedOn ?? loan.disbursals[0]?.date ?? addMonths(loan.firstDueDate, -3),
        sanctioned_paise: rupeesToPaise(loan.sanctionedRupees),
        annual_rate_ppb: BigInt(Math.round(loan.annualRatePercent * 10_000_000)),
        instalments: loan.instalments,
        first_due_date: loan.firstDueDate,
        due_day: loan.dueDay ?? dayOfMonth(loan.firstDueDate),
        fixed_instalment_paise: loan.fixedInstalmentRupees === undefined ? null : rupeesToPaise(loan.fixedInstalmentRupees),
        principal_grace_instalments: loan.principalGraceInstalments ?? 0,
        moratorium_until: loan.moratorium?.until ?? null,
        moratorium_interest: loan.moratorium?.interest ?? null,
        created_at: now,
      })
      .execute()
    await sql.insertInto('loan_numbers').values({ lan: loan.lan, borrower_id: borrowerId, loan_id: loanId }).execute()
    for (const disbursal of loan.disbursals) await addDisbursal(sql, now, { borrowerId, loanId, lan: loan.lan }, disbursal)
    if (loan.disbursals.length > 0) {
      const own = await lockOwnLoan(sql, borrowerId, loanId)
      await storeApr(sql, own.loan, own.facts)
    }
  })
  return { borrowerId, loanId, lan: loan.lan }
}

async function addDisbursal(
  sql: Sql,
  now: Date,
  { borrowerId, loanId }: AddedLoan,
  { date, rupees }: { date: Day; rupees: number },
): Promise<void> {
  const amountPaise = rupeesToPaise(rupees)
  const disbursalId = uuidv7()
  await sql
    .insertInto('disbursals')
    .values({ borrower_id: borrowerId, loan_id: loanId, disbursal_id: disbursalId, disbursed_on: date, amount_paise: amountPaise })
    .execute()
  const loan = await lockLoan(sql, borrowerId, loanId)
  // Booked on the disbursal's day, so that it comes before past payments in the ledger.
  const bookedAt = new Date(Math.min(now.getTime(), startOfDayInIndiaMs(date) + 8 * 3_600_000))
  const disbursal = {
    transaction_id: uuidv7(),
    kind: 'disbursal',
    source: 'disbursal',
    source_id: disbursalId,
    value_date: date,
    amount_paise: amountPaise,
    request_hash: Buffer.from(disbursalId),
    lines: [line('principal', -amountPaise), line('disbursal_bank', amountPaise)],
  }
  await appendTransactions(sql, loan, await readLedgerEnd(sql, loan), [disbursal], bookedAt, 'lender')
}

/** The next 5th of a month: a loan first due then was paid out a month before, in the past. */
export function nextFifth(today: Day): Day {
  const thisMonth = addMonths(today, 0, 5)
  return thisMonth > today ? thisMonth : addMonths(today, 1, 5)
}
