import { afterAll, afterEach, beforeAll, expect, inject, it } from 'vitest'
import { addDays, addMonths, dayInIndia, startOfDayInIndiaMs, toDay, type Day } from '#domain/calendar.ts'
import { loanStateAtEndOf, loanStateDuring } from '#domain/loan-state.ts'
import { paise } from '#domain/money.ts'
import { addLoan, addPerson, addProduct, educationLoan, type AddedLoan } from '#testkit/builders.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { withLockedLoan } from '#testkit/locked-loan.ts'
import { noon, startApp, type App } from '#testkit/start-app.ts'
import type { LoanTransaction } from './change-loan.ts'
import { recordPayment } from './record-payment.ts'
import { reversePayment } from './reverse-payment.ts'

/** The day of the seventh instalment, and noon in India 15 days later. */
const seventhDue = toDay('2026-11-05')
let app: App
let key: AddedLoan
/** A loan whose sixth instalment was paid late. */
let late: AddedLoan
const firstDueDate = addMonths(seventhDue, -6)

beforeAll(async () => {
  app = await startApp(inject('cluster'), { now: noon })
  await addProduct(app.database, noon, 'education', educationLoan)
  const borrowerId = await addPerson(app.database, noon, { phone: '+919876500001', firstName: 'Meera', lastName: 'Joshi' })
  const loan = {
    title: 'B.Sc. in physics',
    sanctionedRupees: 250_000,
    disbursals: [{ date: addMonths(firstDueDate, -1), rupees: 250_000 }],
    annualRatePercent: 12,
    instalments: 24,
    firstDueDate,
  }
  key = await addLoan(app.database, noon, borrowerId, { ...loan, lan: 'KST-13-000001' })
  late = await addLoan(app.database, noon, borrowerId, { ...loan, lan: 'KST-13-000002' })
  for (let paid = 0; paid < 7; paid += 1) {
    await pay(key, `UTR-${paid}`, addMonths(firstDueDate, paid))
    await pay(late, `LATE-${paid}`, addDays(addMonths(firstDueDate, paid), paid === 5 ? 12 : 0))
  }
})
afterEach(() => expectInvariantsHold(app))
afterAll(() => app.close())

const change = <T>(work: (loan: LoanTransaction) => Promise<T>, of = key): Promise<T> => withLockedLoan(app.database, of, noon, work)

/** Records what is due on a day, on that day. */
const pay = (loan: AddedLoan, reference: string, date: Day) =>
  change((loan) => {
    const { overdue, nextEmi } = loanStateDuring(loan.own.facts, date).allowed
    const isOverdue = overdue.amountPaise > 0n
    const amountPaise = isOverdue ? overdue.amountPaise : (nextEmi?.amountPaise ?? paise(0n))
    const then = new Date(startOfDayInIndiaMs(date) + 12 * 3_600_000)
    return recordPayment({ ...loan, now: then }, { mode: 'neft', reference, amountPaise, date, purpose: isOverdue ? 'OVERDUE' : 'PAY_EMI' })
  }, loan)

const again = { mode: 'neft', date: addMonths(seventhDue, -2), purpose: 'PAY_EMI' } as const

it('money booked to the wrong loan in the fifth month causes one late charge, after it was taken back, and none in between', async () => {
  await change((loan) => reversePayment(loan, 'neft', 'UTR-4'))
  const { facts } = await change(({ own }) => Promise.resolve(own))
  const today = dayInIndia(noon)
  expect(loanStateDuring(facts, today)).toMatchObject({ status: 'OVERDUE', dpd: 15, derivedCharges: [] })
  expect(facts.lateChargeHolds).toMatchObject([
    { from: addMonths(seventhDue, -2), until: today, takenBack: { amountPaise: facts.payments[0]?.amountPaise } },
  ])
  const later = loanStateAtEndOf(facts, addDays(today, 10)).derivedCharges
  expect(later.map(({ date, chargeId }) => [date, chargeId])).toEqual([[addDays(today, 1), `late:${seventhDue}`]])
})

it('recorded once more, nothing is late', async () => {
  await change((loan) => {
    const { amountPaise } = loan.own.facts.payments[0] ?? { amountPaise: paise(0n) }
    return recordPayment(loan, { ...again, reference: 'UTR-4', amountPaise })
  })
  const { facts } = await change(({ own }) => Promise.resolve(own))
  expect(loanStateAtEndOf(facts, addDays(dayInIndia(noon), 10))).toMatchObject({ status: 'ACTIVE', duesPaise: 0n, derivedCharges: [] })
})

it('a transfer that was recorded twice, once in error, holds late charges until it is reversed', async () => {
  await change((loan) => {
    const { amountPaise } = loan.own.facts.payments[0] ?? { amountPaise: paise(0n) }
    return recordPayment({ ...loan, now: new Date(noon.getTime() - 1_000) }, { ...again, reference: 'UTR-4-MISTYPED', amountPaise })
  })
  await change((loan) => reversePayment(loan, 'neft', 'UTR-4-MISTYPED'))
  const { facts } = await change(({ own }) => Promise.resolve(own))
  expect(facts.lateChargeHolds).toMatchObject([{ takenBack: { date: again.date } }])
})

it('recorded once more, a loan that was late keeps its charge: the ledger says what the facts say', async () => {
  const charges = async () => {
    const { facts } = await change(({ own }) => Promise.resolve(own), late)
    return loanStateAtEndOf(facts, dayInIndia(noon)).derivedCharges.map(({ chargeId }) => chargeId)
  }
  const raised = [`late:${addMonths(firstDueDate, 5)}`]
  expect(await charges()).toEqual(raised)
  await change((loan) => reversePayment(loan, 'neft', 'LATE-4'), late)
  await change((loan) => {
    const { amountPaise } = loan.own.facts.payments[0] ?? { amountPaise: paise(0n) }
    return recordPayment(loan, { ...again, reference: 'LATE-4', amountPaise })
  }, late)
  expect(await charges()).toEqual(raised)
})
