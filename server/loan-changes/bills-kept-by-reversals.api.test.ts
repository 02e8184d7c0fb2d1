import { afterAll, afterEach, beforeAll, expect, inject, it } from 'vitest'
import { addDays, addMonths, dayInIndia, type Day } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { paise, rupeesToPaise, zeroPaise, type Paise } from '#domain/money.ts'
import type { PaymentPurpose } from '#domain/payments.ts'
import { addLoan, addPerson, addProduct, educationLoan } from '#testkit/builders.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { noon, startApp, type App } from '#testkit/start-app.ts'
import type { Sql } from '../database/connect.ts'
import { lockOwnLoan, type OwnLoan } from '../loans/own-loan.ts'
import { recordPayment } from './record-payment.ts'
import { reversePayment } from './reverse-payment.ts'

const today = dayInIndia(noon)
const firstDueDate = addMonths(addDays(today, -5), -4)
const prepaidOn = addDays(addMonths(firstDueDate, -1), 5)
let app: App
let key: { borrowerId: string; loanId: string }

beforeAll(async () => {
  app = await startApp(inject('cluster'), { now: noon })
  await addProduct(app.database, noon, 'education', educationLoan)
  const borrowerId = await addPerson(app.database, noon, { phone: '+919876500021', firstName: 'Meera', lastName: 'Joshi' })
  key = await addLoan(app.database, noon, borrowerId, {
    lan: 'KST-KB-000001',
    title: 'B.Sc. in physics',
    sanctionedRupees: 600_000,
    disbursals: [{ date: addMonths(firstDueDate, -1), rupees: 600_000 }],
    annualRatePercent: 12,
    instalments: 60,
    firstDueDate,
  })
})
afterEach(() => expectInvariantsHold(app))
afterAll(() => app.close())

const change = <T>(work: (sql: Sql, own: OwnLoan) => Promise<T>): Promise<T> =>
  app.database.asBorrower(key.borrowerId, async (sql) => work(sql, await lockOwnLoan(sql, key.borrowerId, key.loanId)))
const pay = (reference: string, date: Day, amountPaise: Paise, purpose: PaymentPurpose | null) =>
  change((sql, own) => recordPayment(sql, own, { mode: 'neft', reference, amountPaise, date, purpose }, noon, 'operator'))
const stateOn = (day: Day) => change((_sql, { facts }) => Promise.resolve(loanStateDuring(facts, day)))
const recordWrong = (reference: string) => pay(reference, prepaidOn, rupeesToPaise(200_000), 'PART_PAYMENT__REDUCE_EMI')
const billsOf = ({ rows }: Awaited<ReturnType<typeof stateOn>>) => rows.slice(0, 5).map((row) => row.repaymentAmountPaise)

it('instalments paid as billed stay paid when a part payment is reversed; recorded again, all is as before', async () => {
  await recordWrong('UTR-WRONG')
  for (let index = 0; index < 5; index += 1) {
    const due = addMonths(firstDueDate, index)
    await pay(`UTR-${index}`, due, (await stateOn(due)).duesPaise, null)
  }
  const before = await stateOn(today)
  await change((sql, own) => reversePayment(sql, own, 'neft', 'UTR-WRONG', noon, 'operator'))
  const after = await stateOn(today)
  expect(after).toMatchObject({ status: 'ACTIVE', dpd: 0, duesPaise: zeroPaise })
  expect(billsOf(after)).toEqual(billsOf(before))
  expect(after.rows[5]?.repaymentAmountPaise).toBeGreaterThan(paise(1_500_000n))
  await recordWrong('UTR-AGAIN')
  expect(await stateOn(today)).toMatchObject({ rows: before.rows.map(({ repaymentAmountPaise }) => ({ repaymentAmountPaise })) })
})
