import { afterAll, afterEach, beforeAll, expect, inject, it } from 'vitest'
import { addMonths, dayInIndia, toDay } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { rupeesToPaise, zeroPaise } from '#domain/money.ts'
import { addCharges } from '#server/loan-changes/add-charge.ts'
import { recordPayment } from '#server/loan-changes/record-payment.ts'
import { reversePayment } from '#server/loan-changes/reverse-payment.ts'
import { takeBackCharge } from '#server/loan-changes/waive-charge.ts'
import { lockOwnLoan, type OwnLoan } from '#server/loans/own-loan.ts'
import type { Sql } from '#server/database/connect.ts'
import { addLoan, addPerson, addProduct, educationLoan } from '#testkit/builders.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { payInstalments } from '#testkit/paid-history.ts'
import { startApp, type App } from '#testkit/start-app.ts'

/** Noon in India. */
const noon = new Date('2026-06-10T06:30:00Z')
let app: App
let people = 0

beforeAll(async () => {
  app = await startApp(inject('cluster'), { now: noon })
  await addProduct(app.database, noon, 'education', {
    ...educationLoan,
    prepayment_charge: { percent: 2, tax_percent: 18 },
  })
})
afterEach(async () => {
  await expectInvariantsHold(app)
  await app.clock.advance(noon.getTime() - app.clock.now().getTime())
})
afterAll(() => app.close())

const moveTo = (day: string) => app.clock.advance(new Date(`${day}T06:30:00Z`).getTime() - app.clock.now().getTime())

/** A borrower whose loan is closed by one payment, which also pays a bounce charge. */
async function newClosedBorrower() {
  people += 1
  const phone = `+9198764${String(people).padStart(5, '0')}`
  const lan = `KST-68-${String(people).padStart(6, '0')}`
  const firstDueDate = addMonths(toDay('2026-06-05'), -3)
  const borrowerId = await addPerson(app.database, noon, { phone, firstName: 'Meera', lastName: 'Joshi' })
  const key = await addLoan(app.database, noon, borrowerId, {
    lan,
    title: 'B.Sc. in physics',
    sanctionedRupees: 250_000,
    disbursals: [{ date: addMonths(firstDueDate, -1), rupees: 250_000 }],
    annualRatePercent: 12,
    instalments: 24,
    firstDueDate,
  })
  await payInstalments(app.database, key, 4)
  const write = <T>(work: (sql: Sql, own: OwnLoan, now: Date) => Promise<T>): Promise<T> =>
    app.database.asBorrower(borrowerId, async (sql) => work(sql, await lockOwnLoan(sql, borrowerId, key.loanId), app.clock.now()))
  const state = () => write(async (_sql, { facts }, now) => loanStateDuring(facts, dayInIndia(now)))
  const charge = {
    chargeId: 'charge:bounce',
    date: dayInIndia(noon),
    chargeType: 'BOUNCE_CHARGE',
    amountPaise: rupeesToPaise(500),
    penal: false,
  }
  await write((sql, own, now) => addCharges(sql, own, [charge], now, 'operator'))
  const reference = `UTR-CLOSES-${lan}`
  const amountPaise = (await state()).allowed.foreclosure?.amountPaise ?? zeroPaise
  const payment = { mode: 'neft', reference, amountPaise, date: dayInIndia(noon), purpose: 'FORECLOSURE' } as const
  await write((sql, own, now) => recordPayment(sql, own, payment, now, 'operator'))
  await moveTo('2026-06-11')
  const token = await app.signIn(phone)
  const { body } = await app.get(`/portal/generate-document?lead_id=${lan}&doc_type=loan_closure_certificate`, token)
  const cancelledOn = async () => (await app.get(`/documents/verify?code=${String(body['verification_code'])}`)).body['cancelled_on']
  return { write, state, reference, cancelledOn }
}

it.each(['charge:bounce', 'prepayment_charge:2026-06-10'])(
  'a closure certificate is cancelled when its money goes, not when a charge that was paid, %s, is taken back',
  async (chargeId) => {
    const borrower = await newClosedBorrower()
    await moveTo('2026-08-20')
    expect([(await borrower.state()).status, await borrower.cancelledOn()]).toEqual(['CLOSED', null])
    // In one transaction, so that no sweep refunds the credit between the two days.
    await borrower.write(async (sql, own, now) => {
      await takeBackCharge(sql, own, chargeId, new Date('2026-06-15T06:30:00Z'), 'operator')
      const changed = await lockOwnLoan(sql, own.loan.borrower_id, own.loan.loan_id)
      await reversePayment(sql, changed, 'neft', borrower.reference, now, 'operator')
    })
    expect(await borrower.cancelledOn()).toBe('2026-08-20')
  },
)
