import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { demoPhone } from '#testkit/demo-town.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { startApp, type App } from '#testkit/start-app.ts'

type Step = { step: string; adds: boolean; amount?: number; is_negative?: boolean }
type Explained = { what: string; amount: number | null; days: number | null; as_of: string; steps: Step[] }
type Row = { number: number; repayment_amount: number }
type Offer = { overdue_payment: { amount: number; dpd: number }; foreclosure_payment?: { amount: number } }
type Loan = { lan: string; loan_status: string; emi_amount: number; dues: number; dpd: number; as_of: string }

let app: App

beforeAll(async () => {
  app = await startApp(inject('cluster'), { town: true })
})
afterAll(async () => {
  await expectInvariantsHold(app)
  await app.close()
})

const paiseOf = (rupees: number): number => Math.round(rupees * 100)
const added = (steps: readonly Step[]): number =>
  steps.reduce((sum, { adds, amount = 0, is_negative }) => (adds ? sum + paiseOf(amount) * (is_negative ? -1 : 1) : sum), 0)

async function readLoans(number: number): Promise<{ token: string; loans: Loan[] }> {
  const token = await app.signIn(demoPhone(number))
  const { body } = await app.get('/portal/loans-summary', token)
  return { token, loans: body['loans'] as Loan[] }
}
const explain = (token: string, lan: string, what: string) => app.get(`/portal/explain?lan=${lan}&what=${what}`, token)

describe.each([1, 2, 5])('the figures of the loans of demo person %i', (number) => {
  let token: string
  let loans: Loan[]

  beforeAll(async () => {
    ;({ token, loans } = await readLoans(number))
  })
  const explained = async (lan: string, what: string): Promise<Explained> => {
    const { status, body } = await explain(token, lan, what)
    expect({ what, status }).toEqual({ what, status: 200 })
    return body as Explained
  }
  const schedule = async (lan: string) => {
    const { body } = await app.get(`/portal/repayment-schedule?lead_id=${lan}`, token)
    return { rows: body['repayment_schedule'] as Row[], offer: body['allowed_payments'] as Offer }
  }

  it('each row is the sum of its steps', async () => {
    for (const { lan } of loans) {
      const { rows } = await schedule(lan)
      for (const row of rows) {
        const { amount, steps, what } = await explained(lan, `row:${row.number}`)
        expect({ what, amount, steps: added(steps) }).toEqual({
          what: `row:${row.number}`,
          amount: row.repayment_amount,
          steps: paiseOf(row.repayment_amount),
        })
      }
      expect((await explain(token, lan, `row:${rows.length + 1}`)).body['code']).toBe('NotFound')
    }
  })

  it('the dues are the sum of their rows and charges', async () => {
    for (const { lan, dues, as_of } of loans) {
      const { amount, steps, as_of: day } = await explained(lan, 'dues')
      expect({ amount, steps: added(steps), day }).toEqual({ amount: dues, steps: paiseOf(dues), day: as_of })
    }
  })

  it('days past due come from the oldest unpaid instalment', async () => {
    for (const { lan, dpd, as_of } of loans) {
      const { amount, days, steps } = await explained(lan, 'dpd')
      expect({ amount, days }).toEqual({ amount: null, days: dpd })
      expect(steps).toEqual(
        dpd === 0
          ? []
          : [expect.objectContaining({ step: 'oldest_unpaid', to: as_of, due_date: expect.any(String), number: expect.any(Number) })],
      )
    }
  })

  it('the instalment follows from principal, rate and number of instalments', async () => {
    for (const { lan, emi_amount } of loans) {
      const { amount, steps } = await explained(lan, 'instalment')
      expect(amount).toBe(emi_amount)
      expect(steps).toEqual([
        expect.objectContaining({
          step: 'instalment',
          balance: expect.any(Number),
          interest_rate: expect.any(Number),
          instalments: expect.any(Number),
          rounding: 'rupee_up',
          basis: 'whole_month',
        }),
      ])
    }
  })

  it('the payoff is the sum of its parts, and absent if it is not offered', async () => {
    for (const { lan } of loans) {
      const { offer } = await schedule(lan)
      if (offer.foreclosure_payment === undefined) {
        expect((await explain(token, lan, 'foreclosure')).status).toBe(404)
      } else {
        const { amount, steps } = await explained(lan, 'foreclosure')
        const offered = offer.foreclosure_payment.amount
        expect({ amount, steps: added(steps) }).toEqual({ amount: offered, steps: paiseOf(offered) })
      }
    }
  })
})

describe('what is refused', () => {
  it('404 for a missing row', async () => {
    const { token, loans } = await readLoans(1)
    const answer = await explain(token, loans[0]?.lan ?? '', 'row:999')
    expect([answer.status, answer.body['code']]).toEqual([404, 'NotFound'])
  })

  it('the same 404 for another borrower’s loan and for a missing one', async () => {
    const { token } = await readLoans(1)
    const { loans } = await readLoans(5)
    const others = await explain(token, loans[0]?.lan ?? '', 'dues')
    const missing = await explain(token, 'KST-00-000000', 'dues')
    expect([others.status, missing.status]).toEqual([404, 404])
    expect([others.body['code'], others.body['detail']]).toEqual([missing.body['code'], missing.body['detail']])
  })

  it.each(['', 'interest', 'row', 'row:0', 'row:01', 'row:-1', 'row:1.5', 'row:1000', 'DUES', 'dues,dpd'])('400 for %j', async (what) => {
    const { token, loans } = await readLoans(1)
    const answer = await explain(token, loans[0]?.lan ?? '', encodeURIComponent(what))
    expect([answer.status, answer.body['code'], answer.body['field']]).toEqual([400, 'InvalidRequest', 'what'])
  })

  it('401 without a session', async () => {
    expect((await app.get('/portal/explain?lan=KST-24-001742&what=dues')).status).toBe(401)
  })
})
