import { afterAll, afterEach, beforeAll, expect, inject, it } from 'vitest'
import { addDays, addMonths, dayInIndia, type Day } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { paise, rupeesToPaise, zeroPaise, type Paise } from '#domain/money.ts'
import type { PaymentPurpose } from '#domain/payments.ts'
import { addLoan, addPerson, addProduct, educationLoan } from '#testkit/builders.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { withLockedLoan } from '#testkit/locked-loan.ts'
import { noon, startApp, type App } from '#testkit/start-app.ts'
import type { LoanTransaction } from './change-loan.ts'
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

const change = <T>(work: (loan: LoanTransaction) => Promise<T>): Promise<T> => withLockedLoan(app.database, key, noon, work)
const pay = (reference: string, date: Day, amountPaise: Paise, purpose: PaymentPurpose | null) =>
  change((loan) => recordPayment(loan, { mode: 'neft', reference, amountPaise, date, purpose }))
const stateOn = (day: Day) => change(({ own }) => Promise.resolve(loanStateDuring(own.facts, day)))
const recordWrong = (reference: string) => pay(reference, prepaidOn, rupeesToPaise(200_000), 'PART_PAYMENT__REDUCE_EMI')
const billsOf = ({ rows }: Awaited<ReturnType<typeof stateOn>>) => rows.slice(0, 5).map((row) => row.repaymentAmountPaise)

it('instalments paid as billed stay paid when a part payment is reversed; recorded again, all is as before', async () => {
  await recordWrong('UTR-WRONG')
  for (let index = 0; index < 5; index += 1) {
    const due = addMonths(firstDueDate, index)
    await pay(`UTR-${index}`, due, (await stateOn(due)).duesPaise, null)
  }
  const before = await stateOn(today)
  await change((loan) => reversePayment(loan, 'neft', 'UTR-WRONG'))
  const after = await stateOn(today)
  expect(after).toMatchObject({ status: 'ACTIVE', dpd: 0, duesPaise: zeroPaise })
  expect(billsOf(after)).toEqual(billsOf(before))
  expect(after.rows[5]?.repaymentAmountPaise).toBeGreaterThan(paise(1_500_000n))
  await recordWrong('UTR-AGAIN')
  expect(await stateOn(today)).toMatchObject({ rows: before.rows.map(({ repaymentAmountPaise }) => ({ repaymentAmountPaise })) })
})
