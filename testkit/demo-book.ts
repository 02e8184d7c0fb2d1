import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dayInIndia, startOfDayInIndiaMs, toDay } from '#domain/calendar.ts'
import { paiseToRupeesText, type Paise } from '#domain/money.ts'
import type { Database, Sql } from '#server/database/connect.ts'
import { executeTogether } from '#server/database/statement.ts'
import { completedStages, stageDays } from '#server/loans/application-store.ts'
import type { LoanRow } from '#server/loans/loan-store.ts'
import { openTestContext } from './test-context.ts'
import { startTestCluster, type TestCluster } from './test-database.ts'

/**
 * The demo town as a lender's book: the sample for `kist import`. `node testkit/demo-book.ts`
 * rewrites it.
 */
const demoBookFile = join(import.meta.dirname, 'demo-book.csv')
/** The present time of the sample. */
export const demoBookNow = new Date(startOfDayInIndiaMs(toDay('2026-11-01')) + 10 * 3_600_000)

export const readDemoBook = (): string => readFileSync(demoBookFile, 'utf8')

const columns = [
  ...([
    'record',
    'phone',
    'first_name',
    'last_name',
    'email',
    'email_verified',
    'pan',
    'lan',
    'lead_id',
    'partner_loan_id',
    'title',
    'product',
    'product_version',
  ] as const),
  ...([
    'sanctioned_on',
    'sanctioned_amount',
    'upfront_fees',
    'annual_rate_percent',
    'instalments',
    'first_due_date',
    'due_day',
    'principal_grace_instalments',
    'fixed_instalment',
  ] as const),
  ...([
    'moratorium_until',
    'moratorium_interest',
    'allow_tranche_request',
    'reference',
    'date',
    'amount',
    'mode',
    'purpose',
    'application_id',
    'stage',
    'awaited',
    'closed_on',
  ] as const),
] as const
type Cells = Partial<Record<(typeof columns)[number], string | number | boolean | bigint | null>>

/**
 * The demo town of the sample's day, as CSV. Staff and people without loans are no part of a
 * book.
 */
export async function makeDemoBook(cluster: TestCluster): Promise<string> {
  const { database, close } = await openTestContext(cluster, { now: demoBookNow, town: true })
  return bookOf(database).finally(close)
}

/**
 * Borrowers with their loans, disbursals, repayments and applications. The names of repayments
 * contain loan and number.
 */
function bookOf(database: Database): Promise<string> {
  return database.asSystem(async (sql) => {
    const lines: Cells[] = []
    const borrowers = await sql.selectFrom('users').selectAll().where('kind', '=', 'borrower').orderBy('phone').execute()
    for (const user of borrowers) {
      const { phone, first_name, last_name, email, email_verified, pan } = user
      lines.push({ record: 'borrower', phone, first_name, last_name, email, email_verified, pan })
      const [stages] = await executeTogether(sql, [completedStages.with({ borrowerId: user.user_id })])
      const applications = await sql
        .selectFrom('loan_applications')
        .selectAll()
        .where('borrower_id', '=', user.user_id)
        .orderBy('application_id')
        .execute()
      for (const { application_id, submitted_at, awaited } of applications) {
        lines.push({ record: 'application', phone, application_id, date: dayInIndia(submitted_at), awaited: awaited.join(' ') })
        for (const [stage, date] of stageDays(stages, application_id)) lines.push({ record: 'stage', phone, application_id, stage, date })
      }
      const loans = await sql.selectFrom('loans').selectAll().where('borrower_id', '=', user.user_id).orderBy('lan').execute()
      for (const loan of loans) lines.push(...(await loanLines(sql, phone, loan)))
    }
    return [columns.join(','), ...lines.map((cells) => columns.map((column) => cellText(cells[column] ?? null)).join(','))]
      .map((line) => `${line}\n`)
      .join('')
  })
}

async function loanLines(sql: Sql, phone: string, loan: LoanRow): Promise<Cells[]> {
  const { lan } = loan
  const disbursals = await sql
    .selectFrom('disbursals')
    .selectAll()
    .where('borrower_id', '=', loan.borrower_id)
    .where('loan_id', '=', loan.loan_id)
    .orderBy('disbursed_on')
    .orderBy('disbursal_id')
    .execute()
  const repayments = await sql
    .selectFrom('ledger_transactions')
    .select(['value_date', 'amount_paise', 'purpose'])
    .where('borrower_id', '=', loan.borrower_id)
    .where('loan_id', '=', loan.loan_id)
    .where('kind', '=', 'repayment')
    // A lender's book does not contain refunded payments.
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('refunds')
            .select('refund_id')
            .whereRef('refunds.borrower_id', '=', 'ledger_transactions.borrower_id')
            .whereRef('refunds.provider_payment_id', '=', 'ledger_transactions.source_id')
            .where('reason', 'in', ['duplicate', 'nothing_due']),
        ),
      ),
    )
    .orderBy('value_date')
    .orderBy('sequence')
    .execute()
  return [
    loanLine(phone, loan),
    ...disbursals.map(({ disbursed_on: date, amount_paise, partner_tranche_id }, index) => ({
      record: 'disbursal',
      lan,
      reference: partner_tranche_id ?? `${lan}-D${index + 1}`,
      date,
      amount: rupees(amount_paise),
    })),
    ...repayments.map(({ value_date: date, amount_paise, purpose }, index) => ({
      record: 'payment',
      lan,
      mode: 'upi',
      reference: `${lan}-P${index + 1}`,
      date,
      amount: rupees(amount_paise),
      purpose,
    })),
  ]
}

const loanLine = (phone: string, loan: LoanRow): Cells => ({
  record: 'loan',
  phone,
  lan: loan.lan,
  lead_id: loan.lead_id,
  partner_loan_id: loan.partner_loan_id,
  title: loan.title,
  product: loan.product_code,
  product_version: loan.product_version,
  sanctioned_on: loan.sanctioned_on,
  sanctioned_amount: rupees(loan.sanctioned_paise),
  upfront_fees: loan.upfront_fees_paise > 0n ? rupees(loan.upfront_fees_paise) : null,
  annual_rate_percent: Number(loan.annual_rate_ppb) / 10_000_000,
  instalments: loan.instalments,
  first_due_date: loan.first_due_date,
  due_day: loan.due_day,
  principal_grace_instalments: loan.principal_grace_instalments || null,
  fixed_instalment: loan.fixed_instalment_paise && rupees(loan.fixed_instalment_paise),
  moratorium_until: loan.moratorium_until,
  moratorium_interest: loan.moratorium_interest,
  allow_tranche_request: loan.allow_tranche_request,
})

const rupees = (amount: Paise): string => paiseToRupeesText(amount).replace(/\.00$/, '')

function cellText(value: Cells[keyof Cells] | null): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  const text = String(value)
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

if (import.meta.main) {
  const { stop, ...cluster } = await startTestCluster()
  try {
    writeFileSync(demoBookFile, await makeDemoBook(cluster))
  } finally {
    await stop()
  }
}
