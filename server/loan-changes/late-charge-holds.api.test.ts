import { afterAll, afterEach, beforeAll, expect, inject, it } from 'vitest'
import { addDays, addMonths, dayInIndia, startOfDayInIndiaMs, toDay } from '#domain/calendar.ts'
import { loanStateAtEndOf, loanStateDuring } from '#domain/loan-state.ts'
import { paise } from '#domain/money.ts'
import { addLoan, addPerson, addProduct, educationLoan, type LoanKey } from '#testkit/builders.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { startApp, type App } from '#testkit/start-app.ts'
import type { Sql } from '../database/connect.ts'
import { lockOwnLoan, type OwnLoan } from '../loans/own-loan.ts'
import { recordPayment } from './record-payment.ts'
import { reversePayment } from './reverse-payment.ts'

/** The day of the seventh instalment, and noon in India 15 days later. */
const [seventhDue, noon] = [toDay('2026-11-05'), new Date('2026-11-20T06:30:00Z')]
const operator = 'operator'
let app: App
let key: LoanKey

beforeAll(async () => {
  app = await startApp(inject('cluster'), { now: noon })
  await addProduct(app.database, noon, 'education', educationLoan)
  const borrowerId = await addPerson(app.database, noon, { phone: '+919876500001', firstName: 'Meera', lastName: 'Joshi' })
  const firstDueDate = addMonths(seventhDue, -6)
  key = await addLoan(app.database, noon, borrowerId, {
    lan: 'KST-13-000001',
    title: 'B.Sc. in physics',
    sanctionedRupees: 250_000,
    disbursals: [{ date: addMonths(firstDueDate, -1), rupees: 250_000 }],
    annualRatePercent: 12,
    instalments: 24,
    firstDueDate,
  })
  for (let paid = 0; paid < 7; paid += 1)
    await change((sql, own) => {
      const date = addMonths(firstDueDate, paid)
      const amountPaise = loanStateDuring(own.facts, date).allowed.nextEmi?.amountPaise ?? paise(0n)
      const then = new Date(startOfDayInIndiaMs(date) + 12 * 3_600_000)
      return recordPayment(sql, own, { mode: 'neft', reference: `UTR-${paid}`, amountPaise, date, purpose: 'PAY_EMI' }, then, operator)
    })
})
afterEach(() => expectInvariantsHold(app))
afterAll(() => app.close())

const change = <T>(work: (sql: Sql, own: OwnLoan) => Promise<T>): Promise<T> =>
  app.database.asBorrower(key.borrowerId, async (sql) => work(sql, await lockOwnLoan(sql, key.borrowerId, key.loanId)))

it('money booked to the wrong loan in the fifth month causes one late charge, after it was taken back, and none in between', async () => {
  await change((sql, own) => reversePayment(sql, own, 'neft', 'UTR-4', noon, operator))
  const { facts } = await change((_sql, own) => Promise.resolve(own))
  const today = dayInIndia(noon)
  expect(loanStateDuring(facts, today)).toMatchObject({ status: 'OVERDUE', dpd: 15, derivedCharges: [] })
  expect(facts.lateChargeHolds).toMatchObject([
    { from: addMonths(seventhDue, -2), until: today, takenBackPaise: facts.payments[0]?.amountPaise },
  ])
  const later = loanStateAtEndOf(facts, addDays(today, 10)).derivedCharges
  expect(later.map(({ date, chargeId }) => [date, chargeId])).toEqual([[addDays(today, 1), `late:${seventhDue}`]])
})

it('recorded once more, nothing is late', async () => {
  await change((sql, own) => {
    const { amountPaise } = own.facts.payments[0] ?? { amountPaise: paise(0n) }
    const payment = { mode: 'neft', reference: 'UTR-4', amountPaise, date: addMonths(seventhDue, -2), purpose: 'PAY_EMI' } as const
    return recordPayment(sql, own, payment, noon, operator)
  })
  const { facts } = await change((_sql, own) => Promise.resolve(own))
  expect(loanStateAtEndOf(facts, addDays(dayInIndia(noon), 10))).toMatchObject({ status: 'ACTIVE', duesPaise: 0n, derivedCharges: [] })
})
