import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql as raw } from 'kysely'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { addDays, dayInIndia } from '#domain/calendar.ts'
import { distributionSetting } from '#testkit/citus.ts'
import { addPerson, nextFifth } from '#testkit/builders.ts'
import { addFloatingLoan, addFloatingProduct, benchmarkCode, floatingLoan, publishRate } from '#testkit/floating-loan.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { slowMachineSettings, startApp, until, type App } from '#testkit/start-app.ts'
import { runWithLease } from '../database/lease.ts'
import { rateResetsLease, runRateResets } from './run-rate-resets.ts'

/** A run is killed after its first chunk, and a worker continues it. */

const loans = 1_100
let app: App
let directory: string

beforeAll(async () => {
  // No worker of its own: the test continues the run itself.
  app = await startApp(inject('cluster'), { settings: { KIST_ROLE: 'web' } })
  directory = mkdtempSync(join(tmpdir(), 'kist-killed-'))
  const now = app.clock.now()
  await addFloatingProduct(app.database, now, { rate: { ...floatingLoan.rate, reset_months: 1 } })
  await publishRate(app.database, now, 7, dayInIndia(now))
  const firstDue = nextFifth(dayInIndia(now))
  for (let start = 0; start < loans; start += 50)
    await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const number = start + index
        const phone = `+91${String(7_100_000_000 + number)}`
        const borrowerId = await addPerson(app.database, now, { phone, firstName: 'Run', lastName: String(number) })
        await addFloatingLoan(app.database, now, borrowerId, { lan: `RUN-${number}`, firstDue, instalments: 24 })
      }),
    )
})
afterAll(async () => {
  await expectInvariantsHold(app)
  await app.close()
  rmSync(directory, { recursive: true, force: true })
})

const count = async (query: ReturnType<typeof raw<{ count: number }>>) =>
  (await app.database.asSystem((sql) => query.execute(sql))).rows[0]?.count
const countResets = () => count(raw<{ count: number }>`select count(*)::int as count from rate_resets`)
const countNotices = () => count(raw<{ count: number }>`select count(*)::int as count from notices where kind = 'rate_reset_notified'`)
const countNotifiedTwice = () =>
  count(raw<{ count: number }>`
    select count(*)::int as count from (
      select borrower_id from notices where kind = 'rate_reset_notified' group by 1 having count(*) > 1
    ) as twice`)

/** Runs `kist reset run` in a separate process, which is killed at the step. */
async function runUntilKilled(step: 'reset_chunk_written', effectiveOn: string): Promise<string | null> {
  const failPoints = join(directory, 'fail-points')
  mkdirSync(failPoints, { recursive: true })
  writeFileSync(join(failPoints, step), 'exit')
  const child = spawn(
    process.execPath,
    ['cli/kist.ts', 'reset', 'run', '--benchmark', benchmarkCode, '--effective-on', effectiveOn, '--yes'],
    {
      env: {
        ...process.env,
        ...slowMachineSettings,
        NODE_ENV: 'test',
        KIST_DEMO: 'true',
        KIST_DATA_DIR: directory,
        DATABASE_URL: app.databaseUrls.appUrl,
        DATABASE_OWNER_URL: app.databaseUrls.ownerUrl,
        ...distributionSetting,
        RAZORPAY_BASE_URL: app.sandboxUrl,
        KIST_FAIL: 'none',
      },
      stdio: 'inherit',
    },
  )
  const ended = new Promise<string | null>((resolve) => child.once('exit', (_code, signal) => resolve(signal)))
  await until(() => existsSync(join(failPoints, `${step}.reached`)), 120_000)
  return ended
}

it('continues where it was after kill -9, and notifies nobody twice', async () => {
  const effectiveOn = addDays(dayInIndia(app.clock.now()), 40)
  expect(await runUntilKilled('reset_chunk_written', effectiveOn)).toBe('SIGKILL')
  expect(await countResets()).toBe(500)
  expect(await countNotices()).toBe(0)
  // The lease of the killed process expires after a minute.
  await app.database.asSystem((sql) => raw`update leases set expires_at = now() where name = ${rateResetsLease}`.execute(sql))
  const run = await runWithLease(app.database, { name: rateResetsLease }, (lease) => runRateResets(app.context, lease))
  // The remaining loans are reset, and all borrowers notified.
  expect(run).toEqual({ ran: true, result: loans - 500 + loans })
  expect([await countResets(), await countNotices(), await countNotifiedTwice()]).toEqual([loans, loans, 0])
})
