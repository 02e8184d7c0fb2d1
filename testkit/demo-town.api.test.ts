import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { demoPhone } from './demo-town.ts'
import { startApp, type App } from './start-app.ts'

let app: App
beforeAll(async () => {
  app = await startApp(inject('cluster'), { town: true })
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
  it('05 is overdue by 45 days', async () => {
    expect(await readLoans(5)).toMatchObject([{ loan_status: 'OVERDUE', dpd: 45 }])
  })
})
