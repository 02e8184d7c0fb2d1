import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { addDays, dayInIndia } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { approve, propose, proposalOf, proposalReason, type Asked } from '#testkit/operations-staff.ts'
import { noon as now, type App } from '#testkit/start-app.ts'
import { waiveCharge } from '../loan-changes/waive-charge.ts'
import { waiveForeclosure } from '../loan-changes/waive-foreclosure.ts'
import { addReview, closeReview } from '../payments/review-store.ts'
import { newBorrower, newStaff, startStage, type Borrower } from './stage.testing.ts'

const today = dayInIndia(now)
let app: App
let maker: string
let checker: string

beforeAll(async () => {
  app = await startStage()
  maker = (await newStaff(app, ['operations:read', 'operations:propose'], { lastName: 'Maker' })).token
  checker = (await newStaff(app, ['operations:read', 'operations:approve'], { lastName: 'Checker' })).token
})
afterEach(() => expectInvariantsHold(app))
afterAll(() => app.close())

const factsOf = async ({ lan }: Borrower) =>
  (await app.get(`/operations/loans/${lan}`, maker)).body['facts'] as Record<string, Record<string, unknown>[]>
const addEarlierCharge = ({ addCharge }: Borrower, chargeId: string) => addCharge(chargeId, 590, addDays(today, -5))

const preview = async (asked: Asked) => (await app.post('/operations/previews', asked, maker)).body

it('the preview of a reversal names the payment, and that of a waiver the charge', async () => {
  const borrower = await newBorrower(app)
  const { lan } = borrower
  const reference = `UTRSEEN${lan}`
  await borrower.receive(5_000, reference, today)
  const id = (await factsOf(borrower))['payments']?.find((one) => one['reference'] === reference)?.['payment_id']
  for (const payment_id of [id, reference]) {
    const body = await preview({ kind: 'payment_reverse', lan, input: { payment_id, cause: 'wrong_loan' } })
    expect(body['before']).toMatchObject({ payment: { mode: 'neft', reference, amount: 5_000, value_date: today } })
  }

  const charged = await newBorrower(app)
  await addEarlierCharge(charged, 'charge:seen')
  const body = await preview({ kind: 'charge_waive', lan: charged.lan, input: { charge_id: 'charge:seen' } })
  expect(body['before']).toMatchObject({ charge: { charge_type: 'BOUNCE_CHARGE', date: addDays(today, -5) } })
})

it('a charge that the loan may not have, and GST on a penal charge, are refused at their fields', async () => {
  const { lan } = await newBorrower(app)
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
  const borrower = await newBorrower(app)
  const { borrowerId, lan, write } = borrower
  await addEarlierCharge(borrower, 'charge:gone')
  const proposal = proposalOf(await propose(app, maker, { kind: 'charge_waive', lan, input: { charge_id: 'charge:gone' } }))
  await write((loan) => waiveCharge(loan, 'charge:gone', today))
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
  const borrower = await newBorrower(app)
  await addEarlierCharge(borrower, 'charge:waived')
  await borrower.write((loan) => waiveCharge(loan, 'charge:waived', today))
  await addEarlierCharge(borrower, 'charge:owed')
  const { charges, short_foreclosures: short } = await factsOf(borrower)
  expect(charges).toMatchObject([
    { charge_id: 'charge:owed', pending: 590, settled: false },
    { charge_id: 'charge:waived', pending: 0, waived_on: today, settled: false },
  ])
  expect(short).toBe(0)
})

it('a charge that was written off with the rest of a foreclosure is settled, not paid', async () => {
  const short = await newBorrower(app)
  const closedOn = addDays(today, -6)
  const payoff = await short.write(async ({ own: { facts } }) => loanStateDuring(facts, closedOn).allowed.foreclosure?.amountPaise)
  await short.receive(Number(payoff) / 100 - 100, `UTRSHORT${short.lan}`, closedOn, 'FORECLOSURE')
  await addEarlierCharge(short, 'charge:written-off')
  expect(await factsOf(short)).toMatchObject({ short_foreclosures: 1 })
  await short.write((loan) => waiveForeclosure(loan))
  expect((await factsOf(short))['charges']).toContainEqual(
    expect.objectContaining({ charge_id: 'charge:written-off', pending: 0, waived_on: null, settled: true }),
  )
})

it('differences with a date come first, and a resolved one names who resolved it', async () => {
  const {
    borrowerId,
    lan,
    key: { loanId },
  } = await newBorrower(app)
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
