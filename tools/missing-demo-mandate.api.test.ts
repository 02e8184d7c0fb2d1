import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { startApp, type App } from '#testkit/start-app.ts'
import { addMissingDemoMandate } from './missing-demo-mandate.ts'

let app: App
beforeAll(async () => {
  app = await startApp(inject('cluster'), { town: true })
})
afterAll(() => app.close())

it('adds the mandate of borrower 15 once, however often the demo starts', async () => {
  const mandates = () => app.database.asSystem((sql) => sql.selectFrom('mandates').select(['status']).execute())
  expect(await mandates()).toEqual([])
  await addMissingDemoMandate(app.context, app.sandboxUrl)
  expect(await mandates()).toEqual([{ status: 'active' }])
  await addMissingDemoMandate(app.context, app.sandboxUrl)
  expect(await mandates()).toHaveLength(1)
})

it('adds none where borrower 15 is not known', async () => {
  const without = await startApp(inject('cluster'))
  try {
    await addMissingDemoMandate(without.context, without.sandboxUrl)
    expect(await without.database.asSystem((sql) => sql.selectFrom('mandates').select(['status']).execute())).toEqual([])
  } finally {
    await without.close()
  }
})
