import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { addDays, addMonths, dayInIndia, startOfDayInIndiaMs, toDay, type Day } from '#domain/calendar.ts'
import { addLoan, addPerson, addProduct, educationLoan } from '#testkit/builders.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { payInstalments } from '#testkit/paid-history.ts'
import { startApp, until, type App } from '#testkit/start-app.ts'

type Outcome = {
  emi_amount: number
  emi_from?: string
  next_due?: { due_date: string; amount: number }
  last_due_date: string
  instalments_left: number
  total_interest: number
  interest_saved: number
  balances: { amount: number }[]
}
type Preview = { amount: number; as_of: string; unchanged: Outcome; reduce_emi: Outcome; reduce_tenor: Outcome }
type Row = { due_date: string; status: string; interest_amount: number; repayment_amount: number }
type Answer = Awaited<ReturnType<App['get']>>

let app: App
let people = 0
const amount = 23_456.78

/** An hour of a day in India. */
const onDay = (day: Day, hours: number): Date => new Date(startOfDayInIndiaMs(day) + hours * 3_600_000)
const todayAt = (hours: number): Date => onDay(dayInIndia(app.clock.now()), hours)
const moveTo = (instant: Date): Promise<void> => app.clock.moveTo(instant)

beforeAll(async () => {
  // The 15th at noon, whatever this machine's clock says: every month has the day, and until 23:30
  // a preview is for today.
  const middleOfMonth = toDay(`${dayInIndia(new Date()).slice(0, 8)}15`)
  app = await startApp(inject('cluster'), { now: onDay(middleOfMonth, 12) })
  // A late charge arises on the day after a due date.
  await addProduct(app.database, app.clock.now(), 'education', { ...educationLoan, late_charge: { grace_days: 0, amount: 500 } })
})
afterAll(async () => {
  await expectInvariantsHold(app)
  await app.close()
})

/**
 * A borrower whose loan runs on time; the next instalment falls due in a month or, so that money
 * meets it first, today.
 */
async function newBorrower(dueInMonths: 0 | 1, dueInDays = 0): Promise<Borrower> {
  people += 1
  const phone = `+9198761${String(people).padStart(5, '0')}`
  const lan = `KST-31-${String(people).padStart(6, '0')}`
  const now = app.clock.now()
  const today = dayInIndia(now)
  const paid = 7
  const borrowerId = await addPerson(app.database, now, { phone, firstName: 'Asha', lastName: 'Rao' })
  const firstDueDate = addMonths(addDays(today, dueInDays), dueInMonths - paid)
  const key = await addLoan(app.database, now, borrowerId, {
    lan,
    title: 'B.Sc. in physics',
    sanctionedRupees: 250_000,
    disbursals: [{ date: addMonths(firstDueDate, -1), rupees: 250_000 }],
    annualRatePercent: 11.25,
    instalments: 36,
    firstDueDate,
  })
  await payInstalments(app.database, key, paid)
  const signedIn = async (): Promise<Borrower> => {
    const token = await app.signIn(phone)
    return {
      lan,
      get: (path: string): Promise<Answer> => app.get(path, token),
      post: (path: string, body: unknown) => app.post(path, body, token),
      /** Signs in again, because a session ends after half an hour without requests. */
      again: signedIn,
    }
  }
  return signedIn()
}
type Borrower = {
  lan: string
  get(path: string): Promise<Answer>
  post(path: string, body: unknown): Promise<Answer>
  again(): Promise<Borrower>
}

const preview = ({ lan, get }: Borrower, rupees: number) => get(`/portal/part-payment-preview?lan=${lan}&amount=${rupees}`)

async function readLoan({ lan, get }: Borrower) {
  const loans = (await get('/portal/loans-summary')).body['loans'] as Record<string, number | string>[]
  const rows = (await get(`/portal/repayment-schedule?lead_id=${lan}`)).body['repayment_schedule'] as Row[]
  const loan = loans.find((one) => one['lan'] === lan) ?? {}
  return { loan, rows, left: rows.filter(({ status }) => status !== 'Paid') }
}
const paiseOfInterest = (rows: readonly Row[]): number => rows.reduce((sum, row) => sum + Math.round(row.interest_amount * 100), 0)

async function link({ lan, post }: Borrower, purpose: string): Promise<string> {
  const { status, body } = await post('/portal/payment-link?use_razorpay=true', {
    amount,
    purpose,
    lead_id: lan,
    application_id: lan,
    callback_url: 'http://localhost:3000/payments/waiting-for-payment',
  })
  expect(status).toBe(200)
  return String(body['payment_link_id'])
}

async function payLink({ get }: Borrower, id: string): Promise<void> {
  await app.sandbox(`/links/${id}/pay`, { method: 'upi', outcome: 'success' })
  await until(async () => (await get(`/portal/payment-link/status?payment_link_id=${id}`)).body['rps_updated'])
}

describe.each([
  ['a month before the next instalment', 1],
  ['on the day an instalment falls due', 0],
] as const)('a part payment %s', (_when, dueInMonths) => {
  it.each([
    ['reduce_emi', 'PART_PAYMENT__REDUCE_EMI'],
    ['reduce_tenor', 'PART_PAYMENT__REDUCE_TENOR'],
  ] as const)('has exactly the previewed result: %s', async (outcome, purpose) => {
    const borrower = await newBorrower(dueInMonths)
    const before = await readLoan(borrower)
    const answer = (await preview(borrower, amount)).body as unknown as Preview
    expect(answer).toMatchObject({ amount, as_of: before.loan['as_of'] })
    expect(answer.reduce_emi.emi_amount).toBeLessThan(answer.unchanged.emi_amount)
    expect(answer.reduce_tenor.instalments_left).toBeLessThan(answer.reduce_emi.instalments_left)
    expect(Math.round(answer.unchanged.total_interest * 100)).toBe(paiseOfInterest(before.rows))

    const id = await link(borrower, purpose)
    await payLink(borrower, id)
    const after = await readLoan(borrower)
    const previewed = answer[outcome]
    expect(previewed.next_due).toEqual({ due_date: after.left[0]?.due_date, amount: after.left[0]?.repayment_amount })
    const { effect } = (await borrower.get(`/portal/payments/${id}/trail`)).body as { effect: { emi?: unknown } }
    const lowered = { before: answer.unchanged.emi_amount, after: previewed.emi_amount, from: previewed.emi_from }
    expect(effect.emi).toEqual(purpose === 'PART_PAYMENT__REDUCE_EMI' ? lowered : undefined)
    expect({
      emi_amount: after.loan['emi_amount'],
      last_due_date: after.loan['last_due_date'],
      instalments_left: after.left.length,
      due: after.loan['number_of_emis_due'],
      lastRow: after.rows.at(-1)?.due_date,
      interest: paiseOfInterest(after.rows),
      saved: paiseOfInterest(before.rows) - paiseOfInterest(after.rows),
    }).toEqual({
      emi_amount: previewed.emi_amount,
      last_due_date: previewed.last_due_date,
      instalments_left: previewed.instalments_left,
      due: previewed.instalments_left,
      lastRow: previewed.last_due_date,
      interest: Math.round(previewed.total_interest * 100),
      saved: Math.round(previewed.interest_saved * 100),
    })
  })
})

describe('from 23:30 a preview is for the next day (decision 55)', () => {
  const after = async (borrower: Borrower, id: string) => {
    const { loan, rows, left } = await readLoan(borrower)
    const { effect } = (await borrower.get(`/portal/payments/${id}/trail`)).body as { effect: { emi?: { after: number; from: string } } }
    const { dues, principal_outstanding: principal } = loan
    return { emi: effect.emi, left: left.length, due: dues, principal: Number(principal), interest: paiseOfInterest(rows) }
  }
  describe.each([
    ['reduce_emi', 'PART_PAYMENT__REDUCE_EMI'],
    ['reduce_tenor', 'PART_PAYMENT__REDUCE_TENOR'],
  ] as const)('%s', (outcome, purpose) => {
    it.each([
      ['a month before the next instalment', 1, 0],
      ['on the eve of an instalment', 0, 1],
      ['on the day an instalment falls due', 0, 0],
    ] as const)(
      '%s, a payment before midnight is never worse than the preview, and one after midnight is exactly as previewed',
      async (_when, months, days) => {
        for (const minutesLater of [0, 30]) {
          await moveTo(todayAt(36))
          const borrowerAtNoon = await newBorrower(months, days)
          await moveTo(todayAt(23 + 40 / 60))
          const borrower = await borrowerAtNoon.again()
          const answer = (await preview(borrower, amount)).body as unknown as Preview
          const tomorrow = addDays(dayInIndia(app.clock.now()), 1)
          expect(answer.as_of).toBe(tomorrow)
          const id = await link(borrower, purpose)
          await app.clock.advance(minutesLater * 60_000)
          const payer = await borrower.again()
          await payLink(payer, id)
          const previewed = answer[outcome]
          const result = await after(payer, id)
          expect([result.due, result.principal]).toEqual([0, previewed.balances[0]?.amount])
          expect(result.emi?.from).toBe(purpose === 'PART_PAYMENT__REDUCE_EMI' ? previewed.emi_from : undefined)
          if (minutesLater === 0) {
            expect(result.interest).toBeLessThanOrEqual(Math.round(previewed.total_interest * 100))
            expect(result.left).toBeLessThanOrEqual(previewed.instalments_left)
            expect(result.emi?.after ?? 0).toBeLessThanOrEqual(previewed.emi_amount)
          } else {
            expect({ left: result.left, interest: result.interest, emi: result.emi?.after ?? previewed.emi_amount }).toEqual({
              left: previewed.instalments_left,
              interest: Math.round(previewed.total_interest * 100),
              emi: previewed.emi_amount,
            })
          }
        }
      },
    )
  })
})

describe('a preview is refused', () => {
  it('for an amount that cannot be paid', async () => {
    const borrower = await newBorrower(1)
    const { body } = await borrower.get(`/portal/repayment-schedule?lead_id=${borrower.lan}`)
    const { part_payment: range } = body['allowed_payments'] as { part_payment: { min_allowed_amount: number; max_allowed_amount: number } }
    for (const rupees of [range.min_allowed_amount, range.max_allowed_amount]) expect((await preview(borrower, rupees)).status).toBe(200)
    for (const rupees of [range.min_allowed_amount - 0.01, range.max_allowed_amount + 0.01]) {
      const { status, body: refusal } = await preview(borrower, Number(rupees.toFixed(2)))
      expect([status, refusal['code']]).toEqual([409, 'PaymentNotAllowed'])
    }
  })

  it('for another borrower’s loan and for an invalid amount', async () => {
    const [one, other] = [await newBorrower(1), await newBorrower(1)]
    expect((await preview({ ...one, lan: other.lan }, amount)).status).toBe(404)
    for (const text of ['', '1e5', '-1', 'all', '1.234'])
      expect((await one.get(`/portal/part-payment-preview?lan=${one.lan}&amount=${text}`)).status).toBe(400)
  })
})
