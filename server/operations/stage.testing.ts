import pg from 'pg'
import { inject } from 'vitest'
import { assumeRole } from '#contract/permissions.ts'
import { addDays, addMonths, dayInIndia } from '#domain/calendar.ts'
import { rupeesToPaise } from '#domain/money.ts'
import { addLoan, addPerson, addProduct, educationLoan } from '#testkit/builders.ts'
import { selectLinkPayments } from '#testkit/link-payments.ts'
import { withLockedLoan } from '#testkit/locked-loan.ts'
import type { Asked } from '#testkit/operations-staff.ts'
import { payInstalments } from '#testkit/paid-history.ts'
import { openLink, payLink } from '#testkit/payments.ts'
import { noon, startApp, until, type App, type AppOptions } from '#testkit/start-app.ts'
import type { LoanTransaction } from '../loan-changes/change-loan.ts'
import { addCharges } from '../loan-changes/add-charge.ts'
import { recordPayment } from '../loan-changes/record-payment.ts'

/** What the tests of operations have in common: a portal, its staff, and borrowers with a loan. */

export const everything = ['operations:read', 'operations:propose', 'operations:approve']

export async function startStage(options: AppOptions = {}): Promise<App> {
  const app = await startApp(inject('cluster'), { now: noon, ...options })
  await addProduct(app.database, noon, 'education', educationLoan)
  return app
}

let people = 0

export type Staff = { userId: string; phone: string; token: string }
type StaffDetails = { email?: string; pan?: string; phone?: string; lastName?: string }

export async function newStaff(app: App, permissions: readonly string[], more: StaffDetails = {}): Promise<Staff> {
  people += 1
  const phone = more.phone ?? `+9177000${String(people).padStart(5, '0')}`
  const person = { phone, firstName: 'Asha', lastName: `Staff ${people}`, kind: 'staff', roles: [assumeRole], ...more } as const
  const userId = await addPerson(app.database, app.clock.now(), { ...person, permissions: permissions as never })
  return { userId, phone, token: await app.signIn(phone) }
}

/** One who proposes and two who decide, each with no more than that right. */
export async function newTeam(app: App): Promise<Record<'maker' | 'checker' | 'secondChecker', Staff>> {
  const maker = await newStaff(app, ['operations:read', 'operations:propose'])
  const checker = await newStaff(app, ['operations:read', 'operations:approve'])
  return { maker, checker, secondChecker: await newStaff(app, ['operations:read', 'operations:approve']) }
}

export type Borrower = Awaited<ReturnType<typeof newBorrower>>

/** A borrower with an active loan, paid up to the last due date on the 5th. */
export async function newBorrower(app: App, { paid = 4, ...more }: { phone?: string; email?: string; pan?: string; paid?: number } = {}) {
  people += 1
  const phone = more.phone ?? `+9176000${String(people).padStart(5, '0')}`
  const lan = `KST-77-${String(people).padStart(6, '0')}`
  const now = app.clock.now()
  const today = dayInIndia(now)
  const firstDueDate = addMonths(addDays(today, -15), -3)
  const borrowerId = await addPerson(app.database, now, { firstName: 'Ravi', lastName: `Nair ${people}`, ...more, phone })
  const key = await addLoan(app.database, now, borrowerId, {
    lan,
    title: 'B.Sc. in physics',
    sanctionedRupees: 400_000,
    disbursals: [{ date: addMonths(firstDueDate, -1), rupees: 250_000 }],
    annualRatePercent: 12,
    instalments: 24,
    firstDueDate,
  })
  await payInstalments(app.database, key, paid)
  const token = await app.signIn(phone)
  const write = <T>(work: (loan: LoanTransaction) => Promise<T>) => withLockedLoan(app.database, key, app.clock.now(), work)
  const loan = async () => ((await app.get('/portal/loans-summary', token)).body['loans'] as Record<string, unknown>[])[0] ?? {}
  const get = async (path: string) => (await app.get(path, token)).body
  const link = (amount = 30_000, purpose = 'PART_PAYMENT__REDUCE_EMI') => openLink(app, token, { lan, purpose, amount })
  const payByLink = async (amount: number, purpose: string, before: () => Promise<unknown> = () => Promise.resolve()) => {
    const id = await link(amount, purpose)
    await before()
    await payLink(app, id)
    await until(async () => (await get(`/portal/payment-link/status?payment_link_id=${id}`))['rps_updated'])
    return app.database.asSystem((sql) => selectLinkPayments(sql, id).selectAll('provider_payments').executeTakeFirstOrThrow())
  }
  const receive = (rupees: number, reference: string, date = dayInIndia(app.clock.now()), purpose: string | null = null) =>
    write((loan) => {
      const payment = { mode: 'neft', reference, amountPaise: rupeesToPaise(rupees), date, purpose }
      return recordPayment(loan, payment as never)
    })
  const addCharge = (chargeId: string, rupees: number, date = dayInIndia(app.clock.now())) =>
    write((loan) => {
      const charge = { chargeId, date, chargeType: 'BOUNCE_CHARGE', amountPaise: rupeesToPaise(rupees), penal: false }
      return addCharges(loan, [charge])
    })
  /**
   * Pays the next instalment by link, of which a transfer has paid ₹600 meanwhile: as much of the
   * link's money is credit.
   */
  const payWithCredit = async () => {
    const { allowed_payments: allowed } = await get(`/portal/repayment-schedule?lead_id=${lan}`)
    const { amount } = (allowed as { next_emi_payment: { amount: number } }).next_emi_payment
    return payByLink(amount, 'PAY_EMI', () => receive(600, `UTRMORE${lan}`, dayInIndia(app.clock.now()), 'PAY_EMI'))
  }
  const reviews = () =>
    app.database.asSystem((sql) =>
      sql.selectFrom('payment_reviews').selectAll().where('loan_id', '=', key.loanId).orderBy('found_at').execute(),
    )
  return { borrowerId, lan, key, phone, token, write, loan, get, link, payByLink, payWithCredit, receive, addCharge, reviews }
}

/** Runs while more of the loan is disbursed than sanctioned. */
export async function whileUnknown(app: App, loanId: string, work: () => Promise<void>): Promise<void> {
  const owner = new pg.Client({ connectionString: app.databaseUrls.ownerUrl })
  await owner.connect()
  const sanction = (paise: string) => owner.query('update loans set sanctioned_paise = $2 where loan_id = $1', [loanId, paise])
  const { rows } = await owner.query<{ sanctioned_paise: string }>('select sanctioned_paise from loans where loan_id = $1', [loanId])
  try {
    await sanction('100')
    await work()
  } finally {
    await sanction(rows[0]?.sanctioned_paise ?? '')
    await owner.end()
  }
}

export const charge = (lan: string, amount = 590): Asked => ({ kind: 'charge_add', lan, input: { charge_type: 'BOUNCE_CHARGE', amount } })
export const transfer = (app: App, lan: string, reference: string, amount = 5_000): Asked => ({
  kind: 'payment_record',
  lan,
  input: { mode: 'neft', amount, value_date: dayInIndia(app.clock.now()), reference },
})
export const ledgerOf = (app: App, loanId: string) =>
  app.database.asSystem((sql) =>
    sql
      .selectFrom('ledger_transactions')
      .select(['kind', 'source', 'source_id'])
      .where('loan_id', '=', loanId)
      .orderBy('sequence')
      .execute(),
  )
export const logOf = (app: App, subject: string, action: string) =>
  app.database.asSystem((sql) =>
    sql
      .selectFrom('access_log')
      .select(['actor_id', 'detail'])
      .where('subject_id', '=', subject)
      .where('action', '=', action)
      .orderBy('sequence')
      .execute(),
  )
