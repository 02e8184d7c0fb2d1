import { uuidv7 } from 'uuidv7'
import { afterAll, afterEach, beforeAll, expect, inject, it } from 'vitest'
import { addMonths, dayInIndia, toDay, type Day } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { paise, rupeesToPaise, zeroPaise, type Paise } from '#domain/money.ts'
import type { PaymentPurpose } from '#domain/payments.ts'
import { addCharges } from '#server/loan-changes/add-charge.ts'
import { recordPayment } from '#server/loan-changes/record-payment.ts'
import { reversePayment } from '#server/loan-changes/reverse-payment.ts'
import { takeBackCharge } from '#server/loan-changes/waive-charge.ts'
import { lockOwnLoan } from '#server/loans/own-loan.ts'
import { addLoan, addPerson, addProduct, educationLoan } from '#testkit/builders.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { withLockedLoan } from '#testkit/locked-loan.ts'
import { payInstalments } from '#testkit/paid-history.ts'
import { startApp, type App } from '#testkit/start-app.ts'
import type { LoanTransaction } from '../loan-changes/change-loan.ts'
import { insertGenerated } from './document-store.ts'

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
  await app.clock.moveTo(noon)
})
afterAll(() => app.close())

const moveTo = (day: string) => app.clock.moveTo(`${day}T06:30:00Z`)

async function newBorrower({ instalments = 24, disbursedRupees = 250_000, firstDueDate = addMonths(toDay('2026-06-05'), -3) }) {
  people += 1
  const phone = `+9198764${String(people).padStart(5, '0')}`
  const lan = `KST-68-${String(people).padStart(6, '0')}`
  const borrowerId = await addPerson(app.database, noon, { phone, firstName: 'Meera', lastName: 'Joshi' })
  const key = await addLoan(app.database, noon, borrowerId, {
    lan,
    title: 'B.Sc. in physics',
    sanctionedRupees: disbursedRupees,
    disbursals: [{ date: addMonths(firstDueDate, -1), rupees: disbursedRupees }],
    annualRatePercent: 12,
    instalments,
    firstDueDate,
  })
  const write = <T>(work: (loan: LoanTransaction) => Promise<T>): Promise<T> => withLockedLoan(app.database, key, app.clock.now(), work)
  const state = (day = dayInIndia(app.clock.now())) => write(async ({ own: { facts } }) => loanStateDuring(facts, day))
  const record = (reference: string, amountPaise: Paise, date: Day, purpose: PaymentPurpose | null) =>
    write((loan) => recordPayment(loan, { mode: 'neft', reference, amountPaise, date, purpose }))
  return { phone, lan, key, write, state, record }
}

/** A borrower whose loan is closed by one payment, which also pays a bounce charge. */
async function newClosedBorrower() {
  const { phone, lan, key, write, state, record } = await newBorrower({})
  await payInstalments(app.database, key, 4)
  const charge = {
    chargeId: 'charge:bounce',
    date: dayInIndia(noon),
    chargeType: 'BOUNCE_CHARGE',
    amountPaise: rupeesToPaise(500),
    penal: false,
  }
  await write((loan) => addCharges(loan, [charge]))
  const reference = `UTR-CLOSES-${lan}`
  const amountPaise = (await state()).allowed.foreclosure?.amountPaise ?? zeroPaise
  await record(reference, amountPaise, dayInIndia(noon), 'FORECLOSURE')
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
    await borrower.write(async (loan) => {
      const { sql, own } = loan
      await takeBackCharge({ ...loan, now: new Date('2026-06-15T06:30:00Z') }, chargeId)
      const changed = await lockOwnLoan(sql, own.loan.borrower_id, own.loan.loan_id)
      await reversePayment({ ...loan, own: changed }, 'neft', borrower.reference)
    })
    expect(await borrower.cancelledOn()).toBe('2026-08-20')
  },
)

it('an interest certificate takes a rebate from the year whose instalment billed it, and any stored amount can be verified', async () => {
  const { phone, lan, write, state, record } = await newBorrower({
    instalments: 12,
    disbursedRupees: 120_000,
    firstDueDate: toDay('2026-02-05'),
  })
  const emi = rupeesToPaise(10_662)
  for (const day of ['2026-02-05', '2026-03-05', '2026-03-20']) await record(`UTR-${lan}-${day}`, emi, toDay(day), 'PAY_EMI')
  const token = await app.signIn(phone)
  const certified = async (year: string) => {
    const { body } = await app.get(`/portal/generate-document?lead_id=${lan}&doc_type=interest_certificate&financial_year=${year}`, token)
    return String(body['verification_code'])
  }
  const verify = async (code: string) => {
    const { status, body } = await app.get(`/documents/verify?code=${code}`)
    return [status, body['amount']]
  }
  const before = await certified('2025-26')
  const closedOn = toDay('2026-04-02')
  const { amountPaise } = (await state(closedOn)).allowed.foreclosure ?? { amountPaise: zeroPaise }
  await record(`UTR-${lan}`, amountPaise, closedOn, 'FORECLOSURE')
  const after = await certified('2025-26')
  expect([await verify(before), await verify(after), await verify(await certified('2026-27'))]).toEqual([
    [200, 3_315.19],
    [200, 3_217.47],
    [200, 0],
  ])
  // Before, such a certificate stated interest below zero.
  const stored = await write(({ sql }) =>
    sql.selectFrom('generated_documents').selectAll().where('code', '=', after).executeTakeFirstOrThrow(),
  )
  const code = '0000-0000-0000-0000'
  const negative = { ...stored, document_id: uuidv7(), content_hash: Buffer.alloc(32), code, amount_paise: paise(-9_772n) }
  await write(({ sql }) => insertGenerated(sql, negative))
  expect(await verify(code)).toEqual([200, null])
})
