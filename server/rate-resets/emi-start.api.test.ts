import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { toDay } from '#domain/calendar.ts'
import { quickSweeps } from '#testkit/advance-until.ts'
import { addLoan, addPerson, addProduct, educationLoan } from '#testkit/builders.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { startApp, until, type App } from '#testkit/start-app.ts'
import { announceEmiStart } from './announce-emi-start.ts'

const phone = '+919000030001'
let app: App

beforeAll(async () => {
  app = await startApp(inject('cluster'), { now: new Date('2026-11-20T05:00:00Z'), settings: quickSweeps })
  const now = app.clock.now()
  await addProduct(app.database, now, 'education', educationLoan)
  const borrowerId = await addPerson(app.database, now, { phone, firstName: 'Tara', lastName: 'Bose' })
  await addLoan(app.database, now, borrowerId, {
    lan: 'MOR-1',
    title: 'Test',
    sanctionedRupees: 120_000,
    disbursals: [{ date: toDay('2026-11-05'), rupees: 120_000 }],
    annualRatePercent: 12,
    instalments: 12,
    firstDueDate: toDay('2026-12-05'),
    moratorium: { until: toDay('2027-01-05'), interest: 'deferred' },
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
const noticesOf = async (token: string) =>
  ((await app.get('/portal/notices', token)).body['notices'] as { kind: string; date: string; amount: number }[]).filter(
    ({ kind }) => kind === 'emi_start',
  )
/** The run of the day has ended. */
const awaitRun = (day: string) =>
  until(async () =>
    app.database.asSystem((sql) =>
      sql.selectFrom('daily_runs').select('name').where('run_on', '=', toDay(day)).where('finished_at', 'is not', null).executeTakeFirst(),
    ),
  )

it('the first EMI is shown with what is capitalised, and announced 30 and 7 days before', async () => {
  const token = await app.signIn(phone)
  const { body } = await app.get('/portal/loans-summary', token)
  expect(body['loans']).toMatchObject([
    {
      emi_start: {
        last_pre_emi: null,
        first_emi: { due_date: '2027-02-05' },
        capitalised: { date: '2027-01-05', amount: 2_400 },
      },
    },
  ])
  await awaitRun('2026-11-20')
  expect(await noticesOf(token)).toEqual([])
  const month = await moveTo('2027-01-06T05:00:00Z')
  await until(async () => (await noticesOf(month)).length === 1)
  expect(await noticesOf(month)).toMatchObject([{ date: '2027-02-05', amount: expect.any(Number) }])
  const between = await moveTo('2027-01-20T05:00:00Z')
  await awaitRun('2027-01-20')
  expect(await noticesOf(between)).toHaveLength(1)
  const week = await moveTo('2027-01-29T05:00:00Z')
  await until(async () => (await noticesOf(week)).length === 2)
})

it('capitalised interest is principal, and none of it is paid', async () => {
  const token = await moveTo('2027-01-30T05:00:00Z')
  const { status, body } = await app.get('/portal/loans-summary', token)
  expect([status, body['loans']]).toMatchObject([
    200,
    [{ disbursed_amount: 120_000, principal_outstanding: 122_400, principal_paid: 0, interest_paid: 0 }],
  ])
})

it('every loan of a borrower is looked at, also where a batch ends between them', async () => {
  const now = app.clock.now()
  const borrowerId = await addPerson(app.database, now, { phone: '+919000030002', firstName: 'Tara', lastName: 'Sen' })
  for (const lan of ['MOR-2', 'MOR-3'])
    await addLoan(app.database, now, borrowerId, {
      lan,
      title: 'Test',
      sanctionedRupees: 120_000,
      disbursals: [{ date: toDay('2026-12-05'), rupees: 120_000 }],
      annualRatePercent: 12,
      instalments: 12,
      firstDueDate: toDay('2027-01-05'),
      moratorium: { until: toDay('2027-02-05'), interest: 'deferred' },
    })
  // A day that the portal's own worker has not reached.
  const context = { database: app.database, clock: { now: () => new Date('2027-02-03T05:00:00Z') } }
  while ((await announceEmiStart(context, 2)) > 0);
  const notices = await app.database.asSystem((sql) =>
    sql.selectFrom('notices').select('lan').where('kind', '=', 'emi_start').where('borrower_id', '=', borrowerId).execute(),
  )
  expect(notices.map(({ lan }) => lan).toSorted()).toEqual(['MOR-2', 'MOR-3'])
})

it('the first EMI after a grace, or long after a moratorium, is announced too', async () => {
  const now = app.clock.now()
  const borrowerId = await addPerson(app.database, now, { phone: '+919000030003', firstName: 'Tara', lastName: 'Das' })
  const loan = {
    title: 'Test',
    sanctionedRupees: 120_000,
    disbursals: [{ date: toDay('2026-12-05'), rupees: 120_000 }],
    annualRatePercent: 12,
    instalments: 24,
  }
  const moratorium = { until: toDay('2027-02-05'), interest: 'paid' as const }
  const firstDueDate = toDay('2027-01-05')
  await addLoan(app.database, now, borrowerId, { ...loan, lan: 'MOR-4', firstDueDate, moratorium, principalGraceInstalments: 6 })
  await addLoan(app.database, now, borrowerId, { ...loan, lan: 'MOR-5', firstDueDate: toDay('2027-09-05'), moratorium })
  const announced = async (day: string) => {
    const context = { database: app.database, clock: { now: () => new Date(`${day}T05:00:00Z`) } }
    while ((await announceEmiStart(context)) > 0);
    const notices = await app.database.asSystem((sql) =>
      sql.selectFrom('notices').select('lan').where('kind', '=', 'emi_start').where('borrower_id', '=', borrowerId).execute(),
    )
    return notices.map(({ lan }) => lan).toSorted()
  }
  // Both first EMIs fall due on 5 September.
  expect(await announced('2027-08-05')).toEqual([])
  expect(await announced('2027-08-06')).toEqual(['MOR-4', 'MOR-5'])
  expect(await announced('2027-08-29')).toEqual(['MOR-4', 'MOR-4', 'MOR-5', 'MOR-5'])
})
