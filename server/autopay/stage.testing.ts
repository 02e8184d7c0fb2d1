import { inject } from 'vitest'
import { addDays, addMonths, dayInIndia, startOfDayInIndiaMs, type Day } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import type { LoanState } from '#domain/loans.ts'
import { advanceUntil, quickSweeps } from '#testkit/advance-until.ts'
import { addLoan, addPerson, addProduct, educationLoan, type AddedLoan, type NewLoan } from '#testkit/builders.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { payInstalments } from '#testkit/paid-history.ts'
import { noon, startApp, until, type App, type AppOptions } from '#testkit/start-app.ts'
import { runWithLease } from '../database/lease.ts'
import { noFurtherCheck } from '../jobs/back-off.ts'
import { checkInvariants } from '../ledger/check-invariants.ts'
import { readOwnLoanById } from '../loans/own-loan.ts'
import { listCollections, type CollectionRow } from './collection-store.ts'
import { consentVersion } from './consent.ts'
import { findLiveMandate, listMandates, type MandateRow } from './mandate-store.ts'

/** What the tests of autopay have in common: a portal, and borrowers with a loan. */

/** Noon in India, on Friday 20 November 2026. */
const account = { beneficiary_name: 'Meera Joshi', account_number: '112143112154', account_type: 'savings', ifsc_code: 'HDFC0000001' }

export async function startStage(options: AppOptions = {}): Promise<App> {
  const app = await startApp(inject('cluster'), { now: noon, ...options, settings: { ...quickSweeps, ...options.settings } })
  await addProduct(app.database, noon, 'education', educationLoan)
  await addProduct(app.database, noon, 'no_grace', { ...educationLoan, late_charge: { grace_days: 0, amount: 500 } })
  return app
}

let people = 0

/** A borrower whose loan of 24 instalments of ₹4,708 is paid up; the next falls due on `dueOn`. */
export async function newBorrower(app: App, { dueOn = '2026-11-30' as Day, loan = {} as Partial<NewLoan>, paid = 4 } = {}) {
  people += 1
  const number = String(process.pid % 1_000).padStart(3, '0') + String(people).padStart(3, '0')
  const phone = `+9197${number.padStart(8, '5')}`
  const lan = `KST-61-${number}`
  const now = app.clock.now()
  const firstDueDate = addMonths(dueOn, -paid)
  const borrowerId = await addPerson(app.database, now, { phone, firstName: 'Meera', lastName: 'Joshi' })
  const key: AddedLoan = await addLoan(app.database, now, borrowerId, {
    lan,
    title: 'B.Sc. in physics',
    sanctionedRupees: 100_000,
    disbursals: [{ date: addMonths(firstDueDate, -1), rupees: 100_000 }],
    annualRatePercent: 12,
    instalments: 24,
    firstDueDate,
    ...loan,
  })
  if (paid > 0) await payInstalments(app.database, key, paid)
  return new Borrower(app, key, phone)
}

/** One borrower with one loan: their calls, and what is stored of them. */
export class Borrower {
  readonly app: App
  readonly key: AddedLoan
  readonly phone: string
  private token: { text: string; at: number } | null = null

  constructor(app: App, key: AddedLoan, phone: string) {
    this.app = app
    this.key = key
    this.phone = phone
  }

  /** Signs in again after a while, because an idle session ends. */
  async session(): Promise<string> {
    const now = this.app.clock.now().getTime()
    if (this.token === null || Math.abs(now - this.token.at) > 15 * 60_000)
      this.token = { text: await this.app.signIn(this.phone), at: now }
    return this.token.text
  }
  async get(path: string) {
    return this.app.get(path, await this.session())
  }
  async post(path: string, body: unknown = {}, headers: Record<string, string> = {}) {
    return this.app.post(path, body, await this.session(), headers)
  }

  autopay = async () =>
    (await this.get(`/portal/autopay?application_id=${this.key.lan}`)).body as Record<string, Record<string, unknown> | null>
  collectionsOnWire = async () =>
    (await this.get(`/portal/autopay/collections?application_id=${this.key.lan}`)).body['collections'] as Record<string, unknown>[]

  setUpRequest = (method: 'upi' | 'emandate', terms: { max_amount?: number } = {}) => ({
    application_id: this.key.lan,
    method,
    consent_version: consentVersion,
    ...terms,
    ...(method === 'emandate' && { auth_type: 'netbanking', account }),
  })

  /** Sets up a mandate that is active. */
  async setUp(method: 'upi' | 'emandate' = 'upi', terms: { max_amount?: number } = {}): Promise<MandateRow> {
    const { status, body } = await this.post('/portal/autopay/mandates', this.setUpRequest(method, terms))
    if (status !== 200) throw new Error(`set-up: ${status} ${JSON.stringify(body)}`)
    const { invoice_id } = await this.mandate()
    const { token } = (await this.app.sandbox(`/registrations/${invoice_id}/approve`, {})) as { token: { id: string } }
    if (method === 'emandate') await this.app.sandbox(`/mandates/${token.id}/confirm`, {})
    return until(async () => {
      const mandate = await this.mandate()
      return mandate.status === 'active' && (await this.collections()).length > 0 ? mandate : null
    })
  }

  /** The mandate that is not over, else the latest. */
  async mandate(): Promise<MandateRow> {
    const { borrowerId, loanId } = this.key
    const mandate = await this.app.database.asBorrower(
      borrowerId,
      async (sql) => (await findLiveMandate(sql, borrowerId, loanId)) ?? (await listMandates(sql, borrowerId, loanId))[0],
    )
    if (!mandate) throw new Error('there is no mandate')
    return mandate
  }

  /** The collections, in the order of their plans. */
  async collections(): Promise<CollectionRow[]> {
    const { borrowerId, loanId } = this.key
    return (await this.app.database.asBorrower(borrowerId, (sql) => listCollections(sql, borrowerId, loanId))).toReversed()
  }

  /** Waits until a collection, the first unless told otherwise, has a status. */
  collection(status: CollectionRow['status'], index = 0): Promise<CollectionRow> {
    return until(async () => {
      const row = (await this.collections())[index]
      return row?.status === status ? row : null
    })
  }

  async state(): Promise<LoanState> {
    const { borrowerId, loanId } = this.key
    const { facts } = await this.app.database.asBorrower(borrowerId, (sql) => readOwnLoanById(sql, borrowerId, loanId))
    return loanStateDuring(facts, dayInIndia(this.app.clock.now()))
  }

  notices = async () =>
    (
      (await this.get('/portal/notices')).body['notices'] as {
        kind: string
        subject: string | null
        amount: number | null
        date: string | null
      }[]
    ).toReversed()
  noticeKinds = async () => (await this.notices()).map(({ kind }) => kind).filter((kind) => kind !== 'new_device')

  /** In the order in which they were written: PostgreSQL moves a row that is updated. */
  private rows = (table: 'payment_reviews' | 'refunds' | 'provider_payments', writtenBy: 'review_id' | 'refund_id' | 'seen_at') =>
    this.app.database.asSystem((sql) =>
      sql.selectFrom(table).selectAll().where('loan_id', '=', this.key.loanId).orderBy(writtenBy).execute(),
    )
  reviews = async () => (await this.rows('payment_reviews', 'review_id')) as unknown as { kind: string }[]
  refunds = async () => (await this.rows('refunds', 'refund_id')) as unknown as { status: string; reason: string; amount_paise: bigint }[]
  payments = async () =>
    (await this.rows('provider_payments', 'seen_at')) as unknown as {
      provider_payment_id: string
      amount_paise: bigint
      transaction_id: string | null
    }[]

  /** Makes a payment link for what is on offer. */
  async link(purpose: 'PAY_EMI' | 'OVERDUE' | 'FORECLOSURE' | 'PART_PAYMENT__REDUCE_EMI' = 'PAY_EMI') {
    const { body } = await this.get(`/portal/repayment-schedule?lead_id=${this.key.lan}`)
    const offer = body['allowed_payments'] as Record<string, { amount: number; min_allowed_amount: number }>
    const option =
      { PAY_EMI: 'next_emi_payment', OVERDUE: 'overdue_payment', FORECLOSURE: 'foreclosure_payment' }[purpose as 'PAY_EMI'] ??
      'part_payment'
    const amount = offer[option]?.amount ?? offer[option]?.min_allowed_amount
    return this.post('/portal/payment-link', {
      amount,
      purpose,
      lead_id: this.key.lan,
      application_id: this.key.lan,
      callback_url: 'http://localhost:3000/payments/waiting-for-payment',
    })
  }

  async payLink(purpose: Parameters<Borrower['link']>[0] = 'PAY_EMI'): Promise<void> {
    const { status, body } = await this.link(purpose)
    if (status !== 200) throw new Error(`link: ${status} ${JSON.stringify(body)}`)
    const id = String(body['payment_link_id'])
    await this.app.sandbox(`/links/${id}/pay`, { method: 'upi', outcome: 'success' })
    await until(async () => (await this.get(`/portal/payment-link/status?payment_link_id=${id}`)).body['rps_updated'])
  }
}

/** Moves the clocks to an hour of a day in India, such as 9.5 for 09:30. */
export const moveTo = (app: App, day: string, hour: number): Promise<void> =>
  app.clock.advance(startOfDayInIndiaMs(day as Day) + hour * 3_600_000 - app.clock.now().getTime())

/** Lets a collection be announced and delivered, two days before its debit. */
export async function announce(app: App, borrower: Borrower, index = 0): Promise<CollectionRow> {
  const planned = (await borrower.collections())[index]
  if (!planned) throw new Error(`there is no collection ${index}`)
  await moveTo(app, addDays(planned.debit_on, -2), 10.01)
  await borrower.collection('announced', index)
  await app.clock.advance(11 * 60_000)
  return until(async () => {
    const row = (await borrower.collections())[index]
    return row?.delivered_at ? row : null
  })
}

/**
 * Has the bank confirm a debit 90 s later than it would: the sandbox's clock runs on, and what a
 * test does meanwhile takes long on a busy machine.
 */
export const confirmLater = (app: App, { reference }: CollectionRow) =>
  app.sandbox('/debits/next', { outcome: 'success', receipt: reference, after_seconds: 90 })

/** Lets an announced collection be presented. */
export async function present(app: App, borrower: Borrower, index = 0): Promise<CollectionRow> {
  const announced = (await borrower.collections())[index]
  if (!announced?.present_at) throw new Error(`collection ${index} is not announced`)
  await app.clock.advance(announced.present_at.getTime() + 1_000 - app.clock.now().getTime())
  const presented = await borrower.collection('presented', index)
  await until(async () => (await borrower.collections())[index]?.provider_payment_id)
  return presented
}

/**
 * Keeps the loop of the portal away from a collection. It holds the loop's lease meanwhile: a sweep
 * that had found the collection before would write another time after it.
 */
export const park = ({ database }: App, { collection_id: id }: Pick<CollectionRow, 'collection_id'>) =>
  until(async () => {
    const { ran } = await runWithLease(database, { name: 'autopay debits' }, () =>
      database.asSystem((sql) =>
        sql.updateTable('collections').set({ next_check_at: noFurtherCheck }).where('collection_id', '=', id).execute(),
      ),
    )
    return ran
  })

/** Lets events that are being repeated come to an end, then checks every invariant. */
export async function expectRest(app: App): Promise<void> {
  const isAtRest = async () => (await checkInvariants(app.database, { now: app.clock.now() })).broken.every(({ id }) => id !== 'I20')
  if (!(await isAtRest())) await advanceUntil(app, 60_000, isAtRest)
  await expectInvariantsHold(app)
}
