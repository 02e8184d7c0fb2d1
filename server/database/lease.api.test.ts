import { sql as raw } from 'kysely'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest'
import { testDistribution } from '#testkit/citus.ts'
import { cloneDatabase } from '#testkit/test-database.ts'
import { until } from '#testkit/start-app.ts'
import { connect, type Database } from './connect.ts'
import { LeaseLostError, readLeases, runWithLease, type Lease } from './lease.ts'

let urls: Awaited<ReturnType<typeof cloneDatabase>>
/** Two connections that represent two processes. */
let first: Database
let second: Database
let owner: pg.Client
const limits = { connectionsMax: 4, connectTimeoutMs: 60_000, statementTimeoutMs: 60_000, ...testDistribution }
beforeAll(async () => {
  urls = await cloneDatabase(inject('cluster'))
  first = connect(urls.appUrl, limits)
  second = connect(urls.appUrl, limits)
  owner = new pg.Client({ connectionString: urls.ownerUrl })
  await owner.connect()
})
afterAll(async () => {
  await Promise.all([first.close(), second.close(), owner.end()])
  await urls.drop()
})
afterEach(() => vi.useRealTimers())
beforeEach(async () => {
  await owner.query('delete from leases')
})

const name = 'test'
/** Simulates a holder that is suspended or disconnected for longer than its lease. */
const expire = () => owner.query(`update leases set expires_at = now() - interval '1 ms'`)
const rowOf = async () => (await first.asSystem(readLeases)).find((row) => row.name === name)
const createBarrier = () => {
  let open = () => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { open, opened }
}

const leaseMs = 60_000
/**
 * A process with a controlled clock. `third` advances the process and the database by a third of
 * the lease and finishes what the process does then.
 */
function withControlledClock(of: Database) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] })
  const begun: Promise<unknown>[] = []
  const database: Database = {
    ...of,
    asSystem: (work) => {
      const transaction = of.asSystem(work)
      begun.push(transaction.catch(() => null))
      return transaction
    },
  }
  const third = async () => {
    await owner.query(`update leases set expires_at = expires_at - make_interval(secs => $1)`, [leaseMs / 3_000])
    vi.advanceTimersByTime(leaseMs / 3)
    await Promise.all(begun)
  }
  return { database, third }
}

describe('a lease', () => {
  it('lets one of twenty concurrent processes do the work', async () => {
    const { open, opened } = createBarrier()
    let running = 0
    let refused = 0
    const runs = Array.from({ length: 20 }, async (_, index) => {
      const { ran } = await runWithLease(index % 2 ? first : second, { name, everyMs: 60_000 }, async () => {
        running += 1
        await opened
      })
      if (!ran) refused += 1
    })
    await until(() => refused === 19)
    open()
    await Promise.all(runs)
    expect([running, refused]).toEqual([1, 19])
  })

  it('is free again when the work ends, and when it throws', async () => {
    expect(await runWithLease(first, { name }, async () => 7)).toEqual({ ran: true, result: 7 })
    await expect(runWithLease(second, { name }, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
    expect(await rowOf()).toMatchObject({ outcome: 'done', isHeld: false })
    expect(await runWithLease(first, { name }, async () => 8)).toEqual({ ran: true, result: 8 })
  })

  it('is not granted before the next run is due, unless the run reports more to do', async () => {
    await runWithLease(first, { name, everyMs: 60_000 }, async (lease) => lease.requestNextRun())
    expect((await runWithLease(second, { name, everyMs: 60_000 }, async () => null)).ran).toBe(true)
    expect((await runWithLease(first, { name, everyMs: 60_000 }, async () => null)).ran).toBe(false)
    expect((await runWithLease(second, { name, everyMs: 60_000 }, async () => null)).ran).toBe(false)
    await owner.query('update leases set next_run_at = now()')
    expect((await runWithLease(second, { name, everyMs: 60_000 }, async () => null)).ran).toBe(true)
  })

  it('can delay the first run on a database, too', async () => {
    expect((await runWithLease(first, { name, everyMs: 60_000, delaysFirstRun: true }, async () => null)).ran).toBe(false)
    await owner.query('update leases set next_run_at = now()')
    expect((await runWithLease(first, { name, everyMs: 60_000, delaysFirstRun: true }, async () => null)).ran).toBe(true)
  })

  it('is renewed for as long as the work takes', async () => {
    const { database, third } = withControlledClock(first)
    await runWithLease(database, { name }, async (lease) => {
      // Twice the duration, while the other process keeps trying.
      for (let thirds = 0; thirds < 6; thirds += 1) {
        await third()
        expect((await runWithLease(second, { name }, async () => null)).ran).toBe(false)
      }
      expect(lease.signal.aborted).toBe(false)
    })
  })

  it('fences a holder that has lost it: it commits nothing, stores no outcome, and gets an error', async () => {
    const { open, opened } = createBarrier()
    let lost: Lease | undefined
    const zombie = runWithLease(first, { name }, async (lease) => {
      lost = lease
      await opened
      lease.report('of the zombie', 1)
      await first.asSystem(async (sql) => {
        await sql
          .insertInto('daily_runs')
          .values({ name: 'lost', run_on: '2030-01-01' as never })
          .execute()
        await lease.confirm(sql)
      })
    })
    const ended = zombie.then(
      () => null,
      (error: unknown) => error,
    )
    await until(() => lost)
    await expire()
    expect(
      await runWithLease(second, { name }, async (lease) => {
        lease.report('of the next', 2)
        return lease.fencingNumber
      }),
    ).toEqual({ ran: true, result: (lost?.fencingNumber ?? 0n) + 1n })
    open()
    expect(await ended).toBeInstanceOf(LeaseLostError)
    expect(lost?.signal.aborted).toBe(true)
    expect(await rowOf()).toMatchObject({ outcome: 'of the next', outcomeCount: 2 })
    expect((await owner.query(`select from daily_runs where name = 'lost'`)).rowCount).toBe(0)
  })

  it('is not taken from a holder between its confirmation and its commit', async () => {
    const { rows } = await owner.query<{ pid: number }>('select pg_backend_pid() as pid')
    const pid = rows[0]?.pid
    let isCommitted = false
    let expiry: Promise<unknown> | undefined
    await runWithLease(first, { name }, async (lease) => {
      await first.asSystem(async (sql) => {
        await lease.confirm(sql)
        expiry = expire().then(() => expect(isCommitted).toBe(true))
        await until(async () => (await raw`select from pg_locks where not granted and pid = ${pid}`.execute(sql)).rows.length)
        isCommitted = true
      })
    })
    await expiry
  })

  it('is lost when it cannot be renewed: the signal is aborted with the cause', async () => {
    const { database, third } = withControlledClock(first)
    const run = runWithLease(database, { name }, async (lease) => {
      await owner.query('revoke update on leases from kist_app')
      await third()
      expect(lease.signal.aborted).toBe(false)
      await third()
      await third()
      await owner.query('grant update on leases to kist_app')
      expect(lease.signal.aborted).toBe(true)
      return lease.signal.reason as Error
    })
    const result = await run
    expect(result).toMatchObject({ ran: true, result: expect.any(LeaseLostError) })
    expect(result.ran && (result.result.cause as Error).message).toMatch(/permission denied/)
  })
})
