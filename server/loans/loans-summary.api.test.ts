import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { toDay } from '#domain/calendar.ts'
import { addLoan, addPerson, addProduct, educationLoan } from '#testkit/builders.ts'
import { startApp, type App } from '#testkit/start-app.ts'

const now = new Date('2026-11-20T05:00:00Z')
const phone = '+919000000611'
let app: App
beforeAll(async () => {
  app = await startApp(inject('cluster'), { now })
})
afterAll(() => app.close())

it('the due day is that of the coming instalments, also where the next and the last fall into short months', async () => {
  await addProduct(app.database, now, 'education', educationLoan)
  const borrowerId = await addPerson(app.database, now, { phone, firstName: 'Test', lastName: 'Person' })
  await addLoan(app.database, now, borrowerId, {
    lan: 'LS-1',
    leadId: 'lead-ls-1',
    title: 'Test',
    sanctionedRupees: 120_000,
    disbursals: [{ date: toDay('2026-11-05'), rupees: 120_000 }],
    annualRatePercent: 12,
    instalments: 23,
    firstDueDate: toDay('2026-11-30'),
    dueDay: 31,
  })
  const token = await app.signIn(phone)
  const { body } = await app.get('/portal/loans-summary', token)
  expect(body['loans']).toMatchObject([{ due_date: '2026-11-30', last_due_date: '2028-09-30', due_day: 31, disbursed_on: '2026-11-05' }])
  const schedule = (await app.get('/portal/repayment-schedule?lead_id=lead-ls-1', token)).body['repayment_schedule'] as {
    due_date: string
  }[]
  expect(schedule.slice(1, 4).map(({ due_date }) => due_date)).toEqual(['2026-12-31', '2027-01-31', '2027-02-28'])
})
