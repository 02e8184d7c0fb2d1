import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { hourMs, minuteMs } from '#domain/durations.ts'
import { startApp, until, type App } from '#testkit/start-app.ts'
import { readLeases } from './database/lease.ts'
import { startLoops } from './loops.ts'
import { createMetrics } from './telemetry/metrics.ts'
import { createInbox } from './webhooks/inbox.ts'

let app: App
beforeAll(async () => {
  app = await startApp(inject('cluster'), { settings: { KIST_ROLE: 'web' } })
})
afterAll(() => app.close())

/** Runs the loops of a worker in production whose clock is ahead of the database's. */
async function runWorker(aheadMs: number, isDone: (failures: string) => Promise<boolean>) {
  const metrics = createMetrics({ process: false })
  const clock = { ...app.context.clock, now: () => new Date(Date.now() + aheadMs) }
  const config = { ...app.context.config, role: 'worker' as const, production: true }
  const context = { ...app.context, clock, config, metrics }
  const loops = startLoops(context, createInbox(context))
  const failures = async () =>
    [...(await metrics.text()).matchAll(/^kist_background_failures_total\{loop="(.*)"\}/gm)].map(([, loop]) => loop)
  await until(async () => isDone((await failures()).join()))
  await Promise.all(loops.map((loop) => loop.stop()))
  return failures()
}

const hasSucceeded = async (name: string) =>
  (await app.database.asSystem(readLeases)).some((lease) => lease.name === name && lease.finishedAt !== null)

it('a worker in production whose clock is wrong requests no debits and anchors no day', async () => {
  const failures = await runWorker(30 * hourMs, async (failed) => failed.includes('autopay debits') && failed.includes('audit'))
  expect(failures).not.toContain('payment links')
  expect([await hasSucceeded('audit'), await hasSucceeded('autopay debits')]).toEqual([false, false])
})

it('one whose clock is ten minutes wrong works', async () => {
  await app.database.asSystem((sql) =>
    sql
      .updateTable('leases')
      .set({ next_run_at: new Date(0) })
      .execute(),
  )
  const failures = await runWorker(10 * minuteMs, async () => (await hasSucceeded('audit')) && hasSucceeded('autopay debits'))
  expect(failures).toEqual([])
})
