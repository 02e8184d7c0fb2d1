import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { demoPhone } from '#testkit/demo-town.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { askForNextLink } from '#testkit/next-link.ts'
import { startApp, type App } from '#testkit/start-app.ts'
import { addHistory, changeLink } from './payment-store.ts'

let app: App

beforeAll(async () => {
  app = await startApp(inject('cluster'), { town: true })
})
afterAll(() => app.close())

it("a step by a server with a slow clock still comes last in the link's history", async () => {
  const { body } = await askForNextLink(app, await app.signIn(demoPhone(1)))
  const steps = await app.database.asSystem(async (sql) => {
    const { borrower_id: borrowerId, payment_intent_id: paymentIntentId } = await sql
      .selectFrom('payment_links')
      .select(['borrower_id', 'payment_intent_id'])
      .where('payment_link_id', '=', String(body['payment_link_id']))
      .executeTakeFirstOrThrow()
    const key = { borrowerId, paymentIntentId }
    const anHourAgo = new Date(app.clock.now().getTime() - 3_600_000)
    await addHistory(sql, key, { at: anHourAgo, from: 'created', to: 'cancelled', source: 'operator', actorId: 'operator' })
    await changeLink(sql, key, { status: 'cancelled' })
    return sql
      .selectFrom('payment_link_history')
      .select('to_status')
      .where('payment_intent_id', '=', paymentIntentId)
      .orderBy('at')
      .execute()
  })
  expect(steps.map(({ to_status }) => to_status)).toEqual(['creating', 'created', 'cancelled'])
  await expectInvariantsHold(app)
})
