import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { addDays, dayInIndia, daysBetween, type Day } from '#domain/calendar.ts'
import { addDemoMandate } from './demo-mandate.ts'
import { demoPhone } from './demo-town.ts'
import { noon, startApp, type App } from './start-app.ts'

let app: App
beforeAll(async () => {
  app = await startApp(inject('cluster'), { town: true, now: noon })
})
afterAll(() => app.close())

const readLoans = async (number: number) => {
  const { body } = await app.get('/portal/loans-summary', await app.signIn(demoPhone(number)))
  return body['loans'] as Record<string, unknown>[]
}

describe('the demo town', () => {
  it('01 has one active loan, nothing overdue', async () => {
    expect(await readLoans(1)).toMatchObject([{ loan_status: 'ACTIVE', dues: 0, dpd: 0, number_of_emis_paid: 20, number_of_emis_due: 64 }])
  })
  it('02 has a loan overdue by 12 days with a late charge, and a closed one', async () => {
    const loans = await readLoans(2)
    expect(loans).toMatchObject([
      { loan_status: 'OVERDUE', dpd: 12 },
      { loan_status: 'CLOSED', dues: 0 },
    ])
  })
  it('14 has an active floating loan with one reset, notified and effective in 20 to 60 days', async () => {
    const token = await app.signIn(demoPhone(14))
    expect(await readLoans(14)).toMatchObject([{ loan_status: 'ACTIVE', dues: 0, interest_rate: 11 }])
    const { body } = await app.get('/portal/rate-resets?application_id=KST-25-004140', token)
    const [reset, ...others] = body['rate_resets'] as { state: string; effective_on: Day; to: number }[]
    expect([reset?.state, reset?.to, others]).toEqual(['notified', 11.75, []])
    const days = daysBetween(dayInIndia(app.clock.now()), reset?.effective_on as Day)
    expect(days).toBeGreaterThanOrEqual(20)
    expect(days).toBeLessThanOrEqual(60)
  })
  it('05 is overdue by 45 days', async () => {
    expect(await readLoans(5)).toMatchObject([{ loan_status: 'OVERDUE', dpd: 45 }])
  })
  it('15 has an active mandate and a debit planned in four days, 16 has neither', async () => {
    await addDemoMandate(app.context, app.sandboxUrl)
    const autopayOf = async (number: number) => {
      const token = await app.signIn(demoPhone(number))
      const [loan] = (await app.get('/portal/loans-summary', token)).body['loans'] as { lan: string; emi_amount: number }[]
      return { loan, autopay: (await app.get(`/portal/autopay?application_id=${loan?.lan}`, token)).body }
    }
    const inDays = (days: number) => addDays(dayInIndia(app.clock.now()), days)
    const { loan, autopay } = await autopayOf(15)
    expect(autopay).toMatchObject({
      mandate: { status: 'active', method: 'upi' },
      next_collection: { status: 'planned', debit_on: inDays(4), amount: loan?.emi_amount },
    })
    const other = await autopayOf(16)
    expect(other.autopay).toMatchObject({ mandate: null, next_collection: null, offer: { first_debit_on: inDays(5) } })
    expect(other.loan?.emi_amount).toBeGreaterThanOrEqual(4_000)
    expect(other.loan?.emi_amount).toBeLessThanOrEqual(12_000)
  })
})
