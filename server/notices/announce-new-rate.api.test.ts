import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { toDay } from '#domain/calendar.ts'
import { addLoan, addPerson, addProduct, educationLoan } from '#testkit/builders.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { startApp, until, type App } from '#testkit/start-app.ts'

const phone = '+919000060001'
const dueOn = '2027-01-05'
let app: App

/** A loan in its moratorium: each month's interest is due, so a new rate changes what is due. */
beforeAll(async () => {
  app = await startApp(inject('cluster'), { now: new Date('2026-12-10T05:00:00Z') })
  const now = app.clock.now()
  await addProduct(app.database, now, 'education', educationLoan)
  const borrowerId = await addPerson(app.database, now, { phone, firstName: 'Tara', lastName: 'Bose' })
  const { loanId } = await addLoan(app.database, now, borrowerId, {
    lan: 'DUE-RATE',
    title: 'Test',
    sanctionedRupees: 120_000,
    disbursals: [{ date: toDay('2026-12-05'), rupees: 120_000 }],
    annualRatePercent: 12,
    instalments: 12,
    firstDueDate: toDay(dueOn),
  })
  await app.database.asSystem(async (sql) => {
    await sql
      .updateTable('loans')
      .set({ moratorium_until: toDay('2027-06-05'), moratorium_interest: 'paid', apr_basis_points: null, apr_disbursed_on: null })
      .where('loan_id', '=', loanId)
      .execute()
    await sql
      .insertInto('rate_changes')
      .values({ borrower_id: borrowerId, loan_id: loanId, effective_on: toDay('2027-01-04'), annual_rate_ppb: 180_000_000n, keep: 'tenor' })
      .execute()
  })
})
afterAll(async () => {
  await expectInvariantsHold(app)
  await app.close()
})

const moveTo = async (instant: string): Promise<string> => {
  await app.clock.moveTo(instant)
  return app.signIn(phone)
}
const dueSoon = async (token: string) =>
  ((await app.get('/portal/notices', token)).body['notices'] as { kind: string; date: string; amount: number }[]).filter(
    ({ kind }) => kind === 'due_soon',
  )

it('announces the amount that will be due, with a rate that begins before the due day', async () => {
  const token = await moveTo('2027-01-02T05:00:00Z')
  await until(async () => (await dueSoon(token)).length > 0)
  const [notice] = await dueSoon(token)
  expect(notice).toMatchObject({ date: dueOn })
  const onTheDay = await moveTo('2027-01-05T05:00:00Z')
  const { body } = await app.get('/portal/repayment-schedule?lead_id=DUE-RATE', onTheDay)
  const row = (body['repayment_schedule'] as { due_date: string; repayment_amount: number }[]).find(({ due_date }) => due_date === dueOn)
  expect(notice?.amount).toBe(row?.repayment_amount)
  // Of the old rate alone it would be one percent.
  expect(notice?.amount).toBeGreaterThan(1_200)
})
