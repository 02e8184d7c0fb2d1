import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { demoPhone } from '#testkit/demo-town.ts'
import { holdStep } from '#testkit/hold-step.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { openLink } from '#testkit/payments.ts'
import { startApp, type App } from '#testkit/start-app.ts'
import { cancelOpenLink } from './links/cancel-open-link.ts'
import { refreshLink } from './links/sync-link.ts'
import { addHistory, changeLink, findLinkByProviderId } from './links/link-store.ts'

let app: App

beforeAll(async () => {
  app = await startApp(inject('cluster'), { town: true, settings: { KIST_FAIL: 'none' } })
})
afterAll(() => app.close())

it("a step by a server with a slow clock still comes last in the link's history", async () => {
  const link = await openLink(app, await app.signIn(demoPhone(1)))
  const steps = await app.database.asSystem(async (sql) => {
    const { borrower_id: borrowerId, payment_intent_id: paymentIntentId } = await sql
      .selectFrom('payment_links')
      .select(['borrower_id', 'payment_intent_id'])
      .where('payment_link_id', '=', link)
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

describe('a cancelled link is one entry of the access log, of the person who cancelled it', () => {
  const cancel = (link: string, token: string) => app.patch(`/payments/payment-link/cancel?payment_link_id=${link}`, {}, token)
  const actorsOf = (link: string) =>
    app.database.asSystem(async (sql) => {
      const entries = sql.selectFrom('access_log').select(['actor_id', 'detail']).where('action', '=', 'payment_link_cancelled')
      const own = (await entries.execute()).filter(({ detail }) => (detail as { payment_link_id: string }).payment_link_id === link)
      return own.map(({ actor_id }) => actor_id)
    })
  async function addLink() {
    const token = await app.signIn(demoPhone(1))
    const link = await openLink(app, token)
    const { user_id: borrowerId } = await app.database.asSystem((sql) =>
      sql.selectFrom('user_phones').select('user_id').where('phone', '=', demoPhone(1)).executeTakeFirstOrThrow(),
    )
    const row = await app.database.asBorrower(borrowerId, (sql) => findLinkByProviderId(sql, borrowerId, link))
    if (!row) throw new Error(`There is no link ${link}`)
    return { token, borrowerId, link, row }
  }

  it('also if it is cancelled again, by the same person or by staff', async () => {
    const { token, borrowerId, link } = await addLink()
    const staff = await app.signIn(demoPhone(9))
    const assumed = await app.post('/auth/assume', { user_id_to_assume: borrowerId, reason: 'Ticket 4711: a link' }, staff)
    for (const by of [token, token, String(assumed.body['token'])]) expect((await cancel(link, by)).status).toBe(200)
    expect(await actorsOf(link)).toEqual([borrowerId])
  })

  it('also if the first answer was lost after the provider had cancelled it', async () => {
    const { token, borrowerId, link, row } = await addLink()
    await cancelOpenLink(app.context, row, { source: 'borrower', actorId: borrowerId })
    expect((await cancel(link, token)).status).toBe(200)
    expect(await actorsOf(link)).toEqual([borrowerId])
  })

  it('also if the provider’s event of it is stored before its answer', async () => {
    const { token, borrowerId, link, row } = await addLink()
    const step = holdStep(app, 'cancel_answered')
    const cancelled = cancel(link, token)
    await step.reached()
    await refreshLink(app.context, row, { source: 'webhook', actorId: 'system' })
    step.release()
    expect((await cancelled).status).toBe(200)
    expect(await actorsOf(link)).toEqual([borrowerId])
  })

  it('also if two cancel it at once', async () => {
    const { token, link } = await addLink()
    expect((await Promise.all([cancel(link, token), cancel(link, token)])).map(({ status }) => status)).toEqual([200, 200])
    expect(await actorsOf(link)).toHaveLength(1)
    await expectInvariantsHold(app)
  })
})
