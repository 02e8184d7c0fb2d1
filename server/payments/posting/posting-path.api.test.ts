import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest'
import { demoPhone } from '#testkit/demo-town.ts'
import { PipelinedClient } from '../../database/pipelined-client.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { openLink, payLink } from '#testkit/payments.ts'
import { startApp, until, type App } from '#testkit/start-app.ts'

/** Functions of the product on the stack between the worker’s entry and the ledger insert. */
const framesMax = 6
/** Statements that sync a link with one new payment and post the payment, with begin and commit. */
const statementsMax = 26

let app: App
const traceDepth = Error.stackTraceLimit
beforeAll(async () => {
  // The sweeper must not do the webhook's work, nor add its own statements.
  app = await startApp(inject('cluster'), { town: true, settings: { KIST_SWEEP_INTERVAL_MS: '600000' } })
  Error.stackTraceLimit = 200
})
afterAll(async () => {
  Error.stackTraceLimit = traceDepth
  await expectInvariantsHold(app)
  await app.close()
})

it('a webhook’s payment reaches the ledger in few steps and few statements', async () => {
  const token = await app.signIn(demoPhone(1))
  const link = await openLink(app, token)
  const isPosted = async () => {
    const { rps_updated } = await app.database.asSystem((sql) =>
      sql.selectFrom('payment_links').select('rps_updated').where('payment_link_id', '=', link).executeTakeFirstOrThrow(),
    )
    const open = await app.database.asSystem((sql) =>
      sql.selectFrom('webhook_inbox').select('event_id').where('processed_at', 'is', null).execute(),
    )
    return rps_updated && open.length === 0
  }
  const calls: { text: string; stack: string }[] = []
  const query = PipelinedClient.prototype.query
  vi.spyOn(PipelinedClient.prototype, 'query').mockImplementation(function (this: PipelinedClient, ...given: unknown[]) {
    calls.push({ text: given[0] as string, stack: new Error('here').stack ?? '' })
    return (query as (...all: unknown[]) => unknown).apply(this, given)
  } as never)
  await payLink(app, link)
  await until(isPosted)
  vi.restoreAllMocks()

  const insert = calls.find(({ text }) => text.startsWith('insert into "ledger_transactions"'))
  const frames = framesOf(insert?.stack ?? '')
  expect(frames.at(-1)).toBe('processEvents')
  expect(frames.slice(0, -1).length, frames.join(' < ')).toBeLessThanOrEqual(framesMax)
  const ofSync = calls.filter(({ stack }) => stack.includes('/links/sync-link.ts') || stack.includes('/posting/post-received-money.ts'))
  expect(ofSync.length, ofSync.map(({ text }) => text.slice(0, 60)).join('\n')).toBeLessThanOrEqual(statementsMax)
})

/** The product's functions on a stack, the innermost first. */
const framesOf = (stack: string): string[] =>
  [...stack.matchAll(/^ +at (?:async )?([\w.]+) \(.*\/server\/(?!.*\.test\.ts)[^)]+\)$/gm)].map(([, name]) => name ?? '')
