import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { demoPhone } from '#testkit/demo-town.ts'
import { startApp, type App } from '#testkit/start-app.ts'

let app: App
beforeAll(async () => {
  app = await startApp(inject('cluster'), { town: true, now: new Date('2026-11-20T05:30:00Z') })
})
afterAll(() => app.close())

const path = '/portal/ongoing-application'
const readApplication = async (number: number) => app.get(path, await app.signIn(demoPhone(number)))

describe('GET /portal/ongoing-application', () => {
  it('200: the stages with their days, and the awaited items', async () => {
    const { status, body } = await readApplication(3)
    expect([status, body]).toEqual([
      200,
      {
        application: {
          application_id: 'APP-26-000881',
          submitted_at: expect.stringMatching(/^2026-11-14T05:30:\d\d\.\d{3}Z$/),
          stages: [
            { name: 'submitted', status: 'done', date: '2026-11-14' },
            { name: 'documents_verified', status: 'done', date: '2026-11-16' },
            { name: 'assessed', status: 'current', date: null },
            { name: 'sanctioned', status: 'waiting', date: null },
            { name: 'agreement_signed', status: 'waiting', date: null },
          ],
          awaited_from_borrower: ['income_proof', 'admission_letter'],
        },
      },
    ])
  })
  it('200: null without an open application', async () => {
    expect(await readApplication(1)).toMatchObject({ status: 200, body: { application: null } })
    const token = await app.signIn(demoPhone(3))
    const setClosedAt = (closedAt: Date | null) =>
      app.database.asSystem((sql) => sql.updateTable('loan_applications').set({ closed_at: closedAt }).execute())
    await setClosedAt(app.clock.now())
    expect((await app.get(path, token)).body).toEqual({ application: null })
    await setClosedAt(null)
  })
  it('200: the newest of several applications', async () => {
    const token = await app.signIn(demoPhone(3))
    await app.database.asSystem(async (sql) => {
      const { borrower_id } = await sql.selectFrom('loan_applications').select('borrower_id').executeTakeFirstOrThrow()
      await sql
        .insertInto('loan_applications')
        .values({ borrower_id, application_id: 'APP-26-000900', submitted_at: app.clock.now() })
        .execute()
    })
    expect((await app.get(path, token)).body).toMatchObject({
      application: {
        application_id: 'APP-26-000900',
        awaited_from_borrower: [],
        stages: [{ date: '2026-11-20' }, { status: 'current' }, {}, {}, {}],
      },
    })
  })
  it('401 without a session, 404 for staff who act for nobody', async () => {
    expect((await app.get(path)).status).toBe(401)
    expect(await readApplication(9)).toMatchObject({ status: 404, body: { code: 'NotFound' } })
  })
})
