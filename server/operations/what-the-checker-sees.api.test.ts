import { afterAll, afterEach, beforeAll, expect, inject, it } from 'vitest'
import { assumeRole } from '#contract/permissions.ts'
import { addDays, addMonths, dayInIndia, type Day } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { rupeesToPaise } from '#domain/money.ts'
import { addLoan, addPerson, addProduct, educationLoan } from '#testkit/builders.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { approve, propose, proposalOf, proposalReason, type Asked } from '#testkit/operations-staff.ts'
import { payInstalments } from '#testkit/paid-history.ts'
import { startApp, type App } from '#testkit/start-app.ts'
import { addCharges } from '../loan-changes/add-charge.ts'
import { recordPayment } from '../loan-changes/record-payment.ts'
import { waiveCharge } from '../loan-changes/waive-charge.ts'
import { waiveForeclosure } from '../loan-changes/waive-foreclosure.ts'
import { lockOwnLoan, type OwnLoan } from '../loans/own-loan.ts'
import type { Sql } from '../database/connect.ts'
import { addReview, closeReview } from '../payments/review-store.ts'

/** Noon in India. */
const now = new Date('2026-11-20T06:30:00Z')
const today = dayInIndia(now)
let app: App
let people = 0
let maker: string
let checker: string

beforeAll(async () => {
  app = await startApp(inject('cluster'), { now })
  await addProduct(app.database, now, 'education', educationLoan)
  maker = await newStaff('Maker', ['operations:read', 'operations:propose'])
  checker = await newStaff('Checker', ['operations:read', 'operations:approve'])
})
afterEach(() => expectInvariantsHold(app))
afterAll(() => app.close())

async function newStaff(lastName: string, permissions: readonly string[]): Promise<string> {
  people += 1
  const phone = `+9177100${String(people).padStart(5, '0')}`
  await addPerson(app.database, now, {
    phone,
    firstName: 'Asha',
    lastName,
    kind: 'staff',
    roles: [assumeRole],
    permissions: permissions as never,
  })
  return app.signIn(phone)
}

/** A loan of which four instalments were due, the last one 15 days ago. */
async function newLoan() {
  people += 1
  const lan = `KST-78-${String(people).padStart(6, '0')}`
  const firstDueDate = addMonths(addDays(today, -15), -3)
  const phone = `+9176100${String(people).padStart(5, '0')}`
  const borrowerId = await addPerson(app.database, now, { firstName: 'Ravi', lastName: `Nair ${people}`, phone })
  const key = await addLoan(app.database, now, borrowerId, {
    lan,
    title: 'B.Sc. in physics',
    sanctionedRupees: 400_000,
    disbursals: [{ date: addMonths(firstDueDate, -1), rupees: 250_000 }],
    annualRatePercent: 12,
    instalments: 24,
    firstDueDate,
  })
  await payInstalments(app.database, key, 4)
  const write = <T>(work: (sql: Sql, own: OwnLoan) => Promise<T>) =>
    app.database.asBorrower(borrowerId, async (sql) => work(sql, await lockOwnLoan(sql, borrowerId, key.loanId)))
  const addCharge = (chargeId: string) =>
    write((sql, own) => {
      const charge = { chargeId, date: addDays(today, -5), chargeType: 'BOUNCE_CHARGE', amountPaise: rupeesToPaise(590), penal: false }
      return addCharges(sql, own, [charge], now, 'operator')
    })
  const facts = async () => (await app.get(`/operations/loans/${lan}`, maker)).body['facts'] as Record<string, Record<string, unknown>[]>
  const receive = (rupees: number, reference: string, date: Day, purpose: 'FORECLOSURE' | null = null) =>
    write((sql, own) =>
      recordPayment(sql, own, { mode: 'neft', reference, amountPaise: rupeesToPaise(rupees), date, purpose }, now, 'operator'),
    )
  return { borrowerId, loanId: key.loanId, lan, write, addCharge, receive, facts }
}

const preview = async (asked: Asked) => (await app.post('/operations/previews', asked, maker)).body

it('the preview of a reversal names the payment, and that of a waiver the charge', async () => {
  const { lan, receive, facts } = await newLoan()
  const reference = `UTRSEEN${lan}`
  await receive(5_000, reference, today)
  const id = (await facts())['payments']?.find((one) => one['reference'] === reference)?.['payment_id']
  for (const payment_id of [id, reference]) {
    const body = await preview({ kind: 'payment_reverse', lan, input: { payment_id, cause: 'wrong_loan' } })
    expect(body['before']).toMatchObject({ payment: { mode: 'neft', reference, amount: 5_000, value_date: today } })
  }

  const charged = await newLoan()
  await charged.addCharge('charge:seen')
  const body = await preview({ kind: 'charge_waive', lan: charged.lan, input: { charge_id: 'charge:seen' } })
  expect(body['before']).toMatchObject({ charge: { charge_type: 'BOUNCE_CHARGE', date: addDays(today, -5) } })
})

it('a charge that the loan may not have, and GST on a penal charge, are refused at their fields', async () => {
  const { lan } = await newLoan()
  const added = (input: object) => preview({ kind: 'charge_add', lan, input: { amount: 100, ...input } })
  expect(await added({ charge_type: 'LATE_PAYMENT_CHARGE_TAX' })).toMatchObject({
    refusal: 'charge_not_allowed',
    field: 'input.charge_type',
  })
  expect(await added({ charge_type: 'LATE_PAYMENT_CHARGE', tax_percent: 18 })).toMatchObject({
    refusal: 'penal_without_tax',
    field: 'input.tax_percent',
  })
})

it('the log of a proposal that failed says what it was, of which loan, by whom and why', async () => {
  const { borrowerId, lan, write, addCharge } = await newLoan()
  await addCharge('charge:gone')
  const proposal = proposalOf(await propose(app, maker, { kind: 'charge_waive', lan, input: { charge_id: 'charge:gone' } }))
  await write((sql, own) => waiveCharge(sql, own, 'charge:gone', today, now, 'operator'))
  expect((await approve(app, checker, proposal)).body).toMatchObject({ refusal: 'charge_waived' })
  const [entry] = await app.database.asSystem((sql) =>
    sql.selectFrom('access_log').select('detail').where('subject_id', '=', borrowerId).where('action', '=', 'proposal_failed').execute(),
  )
  expect(entry?.detail).toMatchObject({
    proposal: proposal.id,
    kind: 'charge_waive',
    lan,
    operator: 'Asha Checker',
    maker: 'Asha Maker',
    reason: proposalReason,
    why: expect.anything(),
  })
})

it('the record of a loan says which charges are waived, paid or owed, and that no foreclosure fell short', async () => {
  const { addCharge, facts, write } = await newLoan()
  await addCharge('charge:waived')
  await write((sql, own) => waiveCharge(sql, own, 'charge:waived', today, now, 'operator'))
  await addCharge('charge:owed')
  const { charges, short_foreclosures: short } = await facts()
  expect(charges).toMatchObject([
    { charge_id: 'charge:owed', pending: 590, settled: false },
    { charge_id: 'charge:waived', pending: 0, waived_on: today, settled: false },
  ])
  expect(short).toBe(0)
})

it('a charge that was written off with the rest of a foreclosure is settled, not paid', async () => {
  const short = await newLoan()
  const closedOn = addDays(today, -6)
  const payoff = await short.write(async (_sql, { facts }) => loanStateDuring(facts, closedOn).allowed.foreclosure?.amountPaise)
  await short.receive(Number(payoff) / 100 - 100, `UTRSHORT${short.lan}`, closedOn, 'FORECLOSURE')
  await short.addCharge('charge:written-off')
  expect(await short.facts()).toMatchObject({ short_foreclosures: 1 })
  await short.write((sql, own) => waiveForeclosure(sql, own, now, 'operator'))
  expect((await short.facts())['charges']).toContainEqual(
    expect.objectContaining({ charge_id: 'charge:written-off', pending: 0, waived_on: null, settled: true }),
  )
})

it('differences with a date come first, and a resolved one names who resolved it', async () => {
  const { borrowerId, loanId, lan } = await newLoan()
  const review = (about: string) => ({ borrowerId, loanId, kind: 'dispute' as const, about, detail: { about } })
  const listed = async (state: string) => {
    const { body } = await app.get(`/operations/reviews?state=${state}`, maker)
    const items = body['items'] as { review_id: string; lan: string; detail: { value: string }[]; resolved_by: string | null }[]
    // A worker reviews other tests' loans at any time.
    const own = items.filter((item) => item.lan === lan)
    return own.map((item) => ({ about: item.detail[0]?.value, id: item.review_id, by: item.resolved_by }))
  }
  await app.database.asSystem(async (sql) => {
    await addReview(sql, review('old'), daysFromNow(-3))
    await addReview(sql, { ...review('later'), dueOn: addDays(today, 9) }, daysFromNow(-2))
    await addReview(sql, { ...review('sooner'), dueOn: addDays(today, 2) }, daysFromNow(-1))
  })
  const open = await listed('open')
  expect(open.map(({ about }) => about)).toEqual(['sooner', 'later', 'old'])

  const input = { review_id: open[0]?.id, resolution: 'The bank dropped it' }
  const proposal = proposalOf(await propose(app, maker, { kind: 'review_resolve', lan, input }))
  expect((await approve(app, checker, proposal)).status).toBe(200)
  await app.database.asSystem((sql) => closeReview(sql, review('later'), 'settled', daysFromNow(-1)))
  expect(await listed('resolved')).toMatchObject([
    { about: 'sooner', by: 'Asha Checker' },
    { about: 'later', by: null },
  ])
})

const daysFromNow = (days: number): Date => new Date(now.getTime() + days * 86_400_000)
