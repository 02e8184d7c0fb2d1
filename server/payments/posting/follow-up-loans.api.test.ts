import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { addDays, addMonths, dayInIndia, type Day } from '#domain/calendar.ts'
import { paise, rupeesToPaise } from '#domain/money.ts'
import { quickSweeps } from '#testkit/advance-until.ts'
import { addLoan, addPerson, addProduct, educationLoan, type LoanKey, type NewLoan } from '#testkit/builders.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { startApp, until, type App } from '#testkit/start-app.ts'
import { recordPayment } from '../../loan-changes/record-payment.ts'
import { lockOwnLoan } from '../../loans/own-loan.ts'

/** Noon in India. */
const noon = new Date('2026-11-20T06:30:00Z')
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
const newLoan = async (phone: string, lan: string, days: Pick<NewLoan, 'disbursals' | 'firstDueDate' | 'moratorium'>): Promise<LoanKey> => {
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
const pay = ({ borrowerId, loanId }: LoanKey, reference: string, date: Day, rupees: number) =>
  app.database.asBorrower(borrowerId, async (sql) => {
    const own = await lockOwnLoan(sql, borrowerId, loanId)
    const payment = { mode: 'neft' as const, reference, amountPaise: rupeesToPaise(rupees), date, purpose: null }
    await recordPayment(sql, own, payment, app.clock.now(), 'operator')
  })
const kinds = ({ loanId }: LoanKey) =>
  app.database.asSystem(async (sql) => {
    const posted = await sql.selectFrom('ledger_transactions').select('kind').where('loan_id', '=', loanId).orderBy('sequence').execute()
    return posted.map(({ kind }) => kind)
  })
/** Credits less debits. */
const balance = ({ loanId }: LoanKey, account: string) =>
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
