import { afterAll, afterEach, beforeAll, expect, inject, it } from 'vitest'
import { addDays, addMonths, dayInIndia, type Day } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { zeroPaise, type Paise } from '#domain/money.ts'
import { addLoan, addPerson, addProduct, educationLoan } from '#testkit/builders.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { withLockedLoan } from '#testkit/locked-loan.ts'
import { noon, startApp, until, type App } from '#testkit/start-app.ts'
import { addCharges } from '../loan-changes/add-charge.ts'
import type { LoanTransaction } from '../loan-changes/change-loan.ts'
import { recordPayment } from '../loan-changes/record-payment.ts'
import { reversePayment } from '../loan-changes/reverse-payment.ts'
import { takeBackCharge, waiveCharge } from '../loan-changes/waive-charge.ts'
import { returnByBank } from '../payments/refunds/return-by-bank.ts'

/** Noon in India. */
const today = dayInIndia(noon)
let app: App
let people = 0

beforeAll(async () => {
  app = await startApp(inject('cluster'), { now: noon })
  await addProduct(app.database, noon, 'education', educationLoan)
})
afterEach(() => expectInvariantsHold(app))
afterAll(() => app.close())

async function newLoan(firstDueDate: Day, instalments = 3) {
  people += 1
  const number = String(people).padStart(5, '0')
  const phone = `+9198767${number}`
  const borrowerId = await addPerson(app.database, noon, { phone, firstName: 'Meera', lastName: 'Joshi' })
  const { loanId } = await addLoan(app.database, noon, borrowerId, {
    lan: `KST-CL-${number}`,
    title: 'B.Sc. in physics',
    sanctionedRupees: 30_000,
    disbursals: [{ date: addMonths(firstDueDate, -1), rupees: 30_000 }],
    annualRatePercent: 12,
    instalments,
    firstDueDate,
  })
  const write = <T>(work: (loan: LoanTransaction) => Promise<T>) => withLockedLoan(app.database, { borrowerId, loanId }, noon, work)
  const pay = (reference: string, amountPaise: Paise, date: Day, purpose: 'FORECLOSURE' | null = null) =>
    write((loan) => recordPayment(loan, { mode: 'neft', reference, amountPaise, date, purpose }))
  const stateOn = (day: Day) => write(({ own: { facts } }) => Promise.resolve(loanStateDuring(facts, day)))
  const foreclose = async (reference: string, date: Day) =>
    pay(reference, (await stateOn(date)).allowed.foreclosure?.amountPaise ?? zeroPaise, date, 'FORECLOSURE')
  const closings = () =>
    app.database.asSystem(async (sql) => {
      const rows = await sql.selectFrom('notices').selectAll().where('borrower_id', '=', borrowerId).orderBy('about_on').execute()
      return rows.filter(({ kind }) => kind === 'loan_closed').map(({ about_on }) => about_on)
    })
  return { borrowerId, loanId, phone, write, pay, stateOn, foreclose, closings }
}

it('money that closes the loan is announced by bell and text message, once; another closing on another day again', async () => {
  const { phone, write, pay, foreclose, closings } = await newLoan(addDays(today, 10))
  await foreclose('UTR1', addDays(today, -1))
  expect(await closings()).toEqual([addDays(today, -1)])
  await until(() => app.outbox().some(({ to, text }) => to === phone && text.includes('is closed. Download the closure certificate')))
  // Credit of the closed loan, which the lender's bank returned.
  await pay('UTR2', 10_000n as Paise, today)
  const transfer = { mode: 'neft', reference: 'UTROUT', amountPaise: 10_000n as Paise, date: today } as const
  await write((loan) => returnByBank(loan, transfer))
  expect(await closings()).toEqual([addDays(today, -1)])
  await write((loan) => reversePayment(loan, 'neft', 'UTR1', true))
  expect(await closings()).toHaveLength(1)
  await foreclose('UTR3', today)
  expect(await closings()).toEqual([addDays(today, -1), today])
})

it('a waiver of the last charge closes the loan', async () => {
  const due = addDays(today, -10)
  const { write, pay, stateOn, closings } = await newLoan(due, 1)
  const { rows, derivedCharges } = await stateOn(today)
  const [charge] = derivedCharges
  await pay('UTR4', (rows[0]!.pendingPaise - charge!.amountPaise) as Paise, today)
  expect(await closings()).toEqual([])
  await write((loan) => waiveCharge(loan, charge!.chargeId, today))
  expect(await closings()).toEqual([today])
})

it('a charge that is taken back after the loan was closed closes nothing', async () => {
  const due = addDays(today, -10)
  const { write, pay, stateOn, closings } = await newLoan(due, 1)
  const { rows, derivedCharges } = await stateOn(today)
  await pay('UTR5', (rows[0]!.pendingPaise - derivedCharges[0]!.amountPaise) as Paise, addDays(today, -1))
  await pay('UTR6', derivedCharges[0]!.amountPaise, today)
  expect(await closings()).toEqual([today])
  await write((loan) => takeBackCharge(loan, derivedCharges[0]!.chargeId))
  expect(await closings()).toEqual([today])
})

it('a charge added in error to a closed loan and taken back announces no second closing', async () => {
  const { write, foreclose, closings } = await newLoan(addDays(today, 10))
  await foreclose('UTR8', addDays(today, -3))
  const charge = {
    chargeId: 'in-error',
    chargeType: 'BOUNCE_CHARGE',
    date: addDays(today, -1),
    amountPaise: 50_000n as Paise,
    penal: false,
  }
  await write((loan) => addCharges(loan, [charge]))
  await write((loan) => takeBackCharge(loan, 'in-error'))
  expect(await closings()).toEqual([addDays(today, -3)])
})

it('credit that pays the last instalment on its due date closes the loan', async () => {
  const due = addDays(today, 5)
  const { pay, stateOn, closings } = await newLoan(due, 1)
  await pay('UTR7', (await stateOn(due)).rows[0]!.pendingPaise, today)
  expect(await closings()).toEqual([])
  await app.clock.advance(5 * 86_400_000)
  await until(async () => (await closings()).length > 0)
  expect(await closings()).toEqual([due])
})
