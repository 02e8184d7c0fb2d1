import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { addDays, addMonths, dayInIndia, type Day } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { paise, rupeesToPaise, zeroPaise, type Paise } from '#domain/money.ts'
import { quickSweeps } from '#testkit/advance-until.ts'
import { addLoan, addPerson, addProduct, educationLoan, type AddedLoan, type NewLoan } from '#testkit/builders.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { withLockedLoan } from '#testkit/locked-loan.ts'
import { noon, startApp, until, type App } from '#testkit/start-app.ts'
import type { LoanTransaction } from '../../loan-changes/change-loan.ts'
import { recordPayment } from '../../loan-changes/record-payment.ts'
import { reversePayment } from '../../loan-changes/reverse-payment.ts'
import { resolveReview } from '../review-store.ts'
import { returnByBank } from '../refunds/return-by-bank.ts'

/** Noon in India. */
let app: App

beforeAll(async () => {
  app = await startApp(inject('cluster'), { now: noon, settings: quickSweeps })
  await addProduct(app.database, noon, 'education', educationLoan)
})
afterEach(() => expectInvariantsHold(app))
afterAll(() => app.close())

/** A day so many days after the clock's, and so many months after that. */
const dayAhead = (days: number, months = 0): Day => addMonths(addDays(dayInIndia(app.clock.now()), days), months)
const waitDays = (days: number): Promise<void> => app.clock.advance(days * 86_400_000)
const newLoan = async (
  phone: string,
  lan: string,
  days: Pick<NewLoan, 'disbursals' | 'firstDueDate' | 'moratorium'>,
): Promise<AddedLoan> => {
  const borrowerId = await addPerson(app.database, app.clock.now(), { phone, firstName: 'Meera', lastName: 'Joshi' })
  const title = 'B.Sc. in physics'
  return addLoan(app.database, app.clock.now(), borrowerId, {
    lan,
    title,
    sanctionedRupees: 30_000,
    annualRatePercent: 12,
    instalments: 3,
    ...days,
  })
}
const pay = (key: AddedLoan, reference: string, date: Day, rupees: number) =>
  withLockedLoan(app.database, key, app.clock.now(), (loan) =>
    recordPayment(loan, { mode: 'neft', reference, amountPaise: rupeesToPaise(rupees), date, purpose: null }),
  )
const kinds = ({ loanId }: AddedLoan) =>
  app.database.asSystem(async (sql) => {
    const posted = await sql.selectFrom('ledger_transactions').select('kind').where('loan_id', '=', loanId).orderBy('sequence').execute()
    return posted.map(({ kind }) => kind)
  })
/** Credits less debits. */
const balance = ({ loanId }: AddedLoan, account: string) =>
  app.database.asSystem(async (sql) => {
    const entries = await sql
      .selectFrom('ledger_entries')
      .select(['credit_paise', 'debit_paise'])
      .where('loan_id', '=', loanId)
      .where('account', '=', account)
      .execute()
    return paise(entries.reduce((sum, entry) => sum + entry.credit_paise - entry.debit_paise, 0n))
  })

describe('a due date without a payment', () => {
  it('on which credit pays the last instalment is posted', async () => {
    const disbursals = [{ date: dayAhead(15, -3), rupees: 30_000 }]
    const key = await newLoan('+919876500001', 'KST-FU-000001', { disbursals, firstDueDate: dayAhead(15, -2) })
    await pay(key, 'U1', dayAhead(15, -2), 10_201)
    await pay(key, 'U2', dayAhead(15, -1), 10_201 + 10_199.98)
    expect([await balance(key, 'principal'), await balance(key, 'excess')]).toEqual([-1_009_899n, 1_019_998n])
    await waitDays(15)
    await until(async () => (await kinds(key)).includes('adjustment'))
    expect([await balance(key, 'principal'), await balance(key, 'excess'), await balance(key, 'interest')]).toEqual([0n, 0n, 60_198n])
  })

  it('on which deferred interest becomes principal is posted', async () => {
    const moratorium = { until: dayAhead(15), interest: 'deferred' as const }
    const disbursals = [{ date: dayAhead(15, -1), rupees: 30_000 }]
    const key = await newLoan('+919876500002', 'KST-FU-000002', { disbursals, firstDueDate: dayAhead(15, 1), moratorium })
    await pay(key, 'U3', dayAhead(0), 1)
    await waitDays(15)
    await until(async () => (await kinds(key)).includes('capitalisation'))
    expect(await balance(key, 'principal')).toBeLessThan(-3_000_000n)
  })
})

describe('credit that was refunded before the bank took back its money', () => {
  const shortReviews = ({ loanId }: AddedLoan) =>
    app.database.asSystem((sql) =>
      sql
        .selectFrom('payment_reviews')
        .select(['review_id', 'detail', 'resolved_by'])
        .where('loan_id', '=', loanId)
        .where('kind', '=', 'refund_short')
        .orderBy('found_at')
        .execute(),
    )

  it('is reviewed, and more money than is due makes up for it', async () => {
    const key = await newLoan('+919876500003', 'KST-FU-000003', {
      disbursals: [{ date: dayAhead(-20), rupees: 30_000 }],
      firstDueDate: dayAhead(10),
    })
    const { borrowerId } = key
    const now = () => app.clock.now()
    const today = dayInIndia(now())
    const write = <T>(work: (loan: LoanTransaction) => Promise<T>) => withLockedLoan(app.database, key, now(), work)
    const stateNow = () => write(async ({ own: { facts } }) => loanStateDuring(facts, today))
    const closeWith = (reference: string, amountPaise: Paise) =>
      write((loan) => {
        const payment = { mode: 'neft', reference, amountPaise, date: today, purpose: 'FORECLOSURE' } as const
        return recordPayment(loan, payment)
      })
    const payoff = (await stateNow()).allowed.foreclosure?.amountPaise ?? zeroPaise
    const creditPaise = rupeesToPaise(5_000)
    await closeWith('C1', paise(payoff + creditPaise))
    expect(await stateNow()).toMatchObject({ status: 'CLOSED', creditPaise })
    await write((loan) => returnByBank(loan, { mode: 'neft', reference: 'SENT1', amountPaise: creditPaise, date: today }))
    // A mistake of staff is not corrected so: the money did come.
    await expect(write((loan) => reversePayment(loan, 'neft', 'C1'))).rejects.toThrow('refunded since')
    await write((loan) => reversePayment(loan, 'neft', 'C1', true))
    expect(await stateNow()).toMatchObject({ status: 'ACTIVE', creditPaise: 0n, refundShortPaise: creditPaise })
    expect(await until(async () => (await shortReviews(key))[0])).toMatchObject({ detail: { short_paise: String(creditPaise) } })
    await expectInvariantsHold(app)
    // Less than all of it is recorded too.
    await pay(key, 'C2', today, 1_000)
    const left = await stateNow()
    const reviews = await until(async () => {
      const all = await shortReviews(key)
      return all.length === 2 ? all : null
    })
    expect(reviews.map(({ resolved_by: by }) => by)).toEqual(['system', null])
    expect(left.refundShortPaise).toBe(creditPaise - rupeesToPaise(1_000))
    // Closed by its payoff alone, it has no certificate while the rest is asked for.
    await closeWith('C3', left.allowed.foreclosure?.amountPaise ?? zeroPaise)
    expect(await stateNow()).toMatchObject({ status: 'CLOSED', refundShortPaise: left.refundShortPaise })
    const token = await app.signIn('+919876500003')
    const certificate = async () =>
      (await app.get('/portal/generate-document?lead_id=KST-FU-000003&doc_type=loan_closure_certificate', token)).status
    expect(await certificate()).toBe(409)
    const { review_id } = (await shortReviews(key)).find(({ resolved_by: by }) => by === null)!
    await write(({ sql }) => resolveReview(sql, { borrower_id: borrowerId, review_id }, 'a person', 'the lender bears the rest', now()))
    expect(await certificate()).toBe(200)
    await pay(key, 'C4', today, 4_000)
    expect(await stateNow()).toMatchObject({ status: 'CLOSED', creditPaise: 0n, refundShortPaise: 0n })
    expect(await certificate()).toBe(200)
  })
})
