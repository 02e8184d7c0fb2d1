import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { toDay } from '#domain/calendar.ts'
import { citusNodes } from '#testkit/citus.ts'
import { openTestContext, type TestContext } from '#testkit/test-context.ts'
import { pino } from 'pino'
import { encodeContent, logAccess, type AccessLogRow } from '../access-log.ts'
import type { Config } from '../config/config.ts'
import { LeaseLostError, runWithLease } from '../database/lease.ts'
import { noBorrowerId } from '../payments/review-store.ts'
import { anchorAudit, findLoggedAnchors } from './anchor-audit.ts'
import { storeHeads } from './audit-store.ts'
import { auditReportText, verifyAudit } from './verify-audit.ts'

const pem = () => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const key = pem()
const at = new Date('2026-12-05T04:30:00.250Z')
/** The servers that hold rows: with Citus its workers. */
const dataNodes = Math.max(1, citusNodes.length - 1)
const subjects = ['0197f3a0-0000-7000-8000-00000000000a', '0197f3a0-0000-7000-8000-00000000000b']

let context: TestContext
let superuser: pg.Client
beforeEach(async () => {
  context = await openTestContext(inject('cluster'), { now: at })
  superuser = new pg.Client({ connectionString: context.superuserUrl })
  await superuser.connect()
  for (const subjectId of subjects)
    for (let line = 0; line < 5; line++) await write(subjectId, { line, text: `“é” ${line}`, z: null, a: true })
})
afterEach(async () => {
  await superuser.end()
  await context.close()
})

const write = (subjectId: string, detail: Record<string, string | number | boolean | null>) =>
  context.database.asSystem((sql) =>
    logAccess(sql, { at, subjectId, actorId: 'staff', action: 'loans_viewed', outcome: 'done', origin: null, detail }),
  )
/**
 * Anchors under the lease, like a worker.
 *
 * @returns null if another process did it, or the day was already anchored.
 */
const anchor = async (now = at, keys = [key], log = pino({ level: 'silent' })) => {
  const anchorContext = {
    database: context.database,
    clock: { now: () => now },
    config: { signIn: { tokenKeys: keys } } as unknown as Config,
    log,
  }
  const run = await runWithLease(context.database, { name: 'audit' }, (lease) => anchorAudit(anchorContext, lease))
  return run.ran ? run.result : null
}
const verify = (keys = [key], logged = '') => verifyAudit(context.database, keys, findLoggedAnchors(logged))
const tamper = (statement: string, values: unknown[] = []) => superuser.query(statement, values)

describe('the access log', () => {
  it('is complete as written', async () => {
    await anchor()
    const report = await verify()
    expect(report).toEqual({ lines: 10, chains: 2, anchors: 1, broken: [] })
    expect(auditReportText(report)).toBe('audit: 10 lines in 2 chains, 1 anchors, 0 broken')
  })

  it('says how far its verification is', async () => {
    const steps: [number, number][] = []
    await verifyAudit(context.database, [key], [], (done, all) => steps.push([done, all]))
    expect(steps).toEqual([[10, 10]])
  })

  it('has one chain per subject under concurrent writers', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, line) => write(subjects[line % 2] ?? '', { line })))
    expect(await verify()).toMatchObject({ lines: 30, chains: 2, broken: [] })
  })

  it.each([
    [
      'an edited detail',
      `update access_log set detail = '{"line":9}' where subject_id = $1 and sequence = 3`,
      /line 3: content does not match its hash/,
    ],
    [
      'another actor',
      `update access_log set actor_id = subject_id where subject_id = $1 and sequence = 2`,
      /line 2: content does not match its hash/,
    ],
    [
      'another time',
      `update access_log set at = '2026-12-05T04:30:01.250Z' where subject_id = $1 and sequence = 2`,
      /line 2: content does not match its hash/,
    ],
    ['a removed line', `delete from access_log where subject_id = $1 and sequence = 3`, /line 3: is missing/],
    ['a removed end', `delete from access_log where subject_id = $1 and sequence >= 4`, /line 5: the end of the chain is missing/],
    ['a removed beginning', `delete from access_log where subject_id = $1 and sequence = 1`, /line 1: is missing/],
    ['a chain that is gone', `delete from access_log where subject_id = $1`, /the end of the chain is missing/],
    [
      'a head set back',
      `update access_log_heads h set sequence = 4, hash = (select hash from access_log l where l.subject_id = h.subject_id and l.sequence = 4) where subject_id = $1`,
      /line 5: is beyond the end/,
    ],
    [
      'a line moved to another',
      `with moved as (delete from access_log where subject_id = $1 and sequence = 5 returning *)
       insert into access_log (subject_id, sequence, entry_id, at, actor_id, action, outcome, session_id, request_id, remote_address, user_agent, detail, hash)
       select '${subjects[1]}', 6, entry_id, at, actor_id, action, outcome, session_id, request_id, remote_address, user_agent, detail, hash from moved`,
      /line 6: content does not match its hash/,
    ],
  ])('L05: finds %s', async (_what, statement, fault) => {
    await tamper(statement, [subjects[0]])
    expect((await verify()).broken.join('\n')).toMatch(fault)
  })

  it('finds an anchored chain that was forged completely', async () => {
    await anchor()
    const { rows } = await superuser.query<AccessLogRow & { sequence: string }>(
      'select * from access_log where subject_id = $1 order by sequence',
      [subjects[0]],
    )
    let before = Buffer.alloc(0)
    for (const row of rows) {
      const forged = { ...row, actor_id: 'nobody' }
      before = createHash('sha256').update(before).update(encodeContent(forged)).digest()
      await tamper('update access_log set actor_id = $1, hash = $2 where subject_id = $3 and sequence = $4', [
        'nobody',
        before,
        subjects[0],
        row.sequence,
      ])
    }
    await tamper('update access_log_heads set hash = $1 where subject_id = $2', [before, subjects[0]])
    expect((await verify()).broken).toEqual([expect.stringMatching(/line 5: is missing or differs from the anchor of 2026-12-05/)])
    // Forging the anchor as well would require the key.
    await tamper('update audit_anchor_heads set hash = $1 where subject_id = $2', [before, subjects[0]])
    expect((await verify()).broken).toEqual([
      expect.stringMatching(/anchor of 2026-12-05: the chain heads of its day do not match its digest/),
    ])
  })
})

describe('an anchor', () => {
  it('stores 12,000 heads in batches of 5,000, each in a short separate transaction', async () => {
    await superuser.query(
      `insert into access_log_heads (subject_id, sequence, hash) select gen_random_uuid(), 1, sha256(number::text::bytea) from generate_series(1, 12000) as number`,
    )
    expect(await anchor()).toMatchObject({ heads: 12_002n })
    const { rows } = await superuser.query<{ heads: string }>('select count(*) as heads from audit_anchor_heads group by xmin::text')
    const heads = rows.map((row) => Number(row.heads))
    // A batch is a transaction on each node with rows.
    expect(heads).toHaveLength(3 * dataNodes)
    expect(Math.max(...heads)).toBeLessThanOrEqual(5_000)
    expect(heads.reduce((sum, one) => sum + one, 0)).toBe(12_002)
    expect((await superuser.query('select 1 from access_log_heads where sequence > anchored_sequence')).rowCount).toBe(0)
  })

  it('includes the chain of operations that concern no borrower', async () => {
    await write(noBorrowerId, { kind: 'benchmark_publish' })
    expect(await anchor()).toMatchObject({ heads: 3n })
    const stored = await superuser.query<{ subject_id: string }>('select subject_id from audit_anchor_heads')
    expect(stored.rows).toContainEqual({ subject_id: noBorrowerId })
    expect(await anchor(later(1))).toMatchObject({ heads: 0n })
  })

  it('of a day interrupted by a crash is made the next day from the stored heads, and the next one follows', async () => {
    await context.database.asSystem((sql) => storeHeads(sql, toDay('2026-12-05'), null, 1))
    await write(subjects[0] ?? '', { line: 'after the crash' })
    expect(await anchor(later(1))).toMatchObject({ day: '2026-12-05', heads: 1n })
    expect(await anchor(later(1))).toMatchObject({ day: '2026-12-06', heads: 2n })
    expect(await anchor(later(1))).toBeNull()
    expect(await verify()).toMatchObject({ anchors: 2, broken: [] })
  })

  it('is not made by a process that has lost its lease', async () => {
    const lost = { confirm: () => Promise.reject(new LeaseLostError('audit')) }
    const anchorContext = {
      database: context.database,
      clock: { now: () => at },
      config: { signIn: { tokenKeys: [key] } } as unknown as Config,
      log: pino({ level: 'silent' }),
    }
    await expect(anchorAudit(anchorContext, lost)).rejects.toThrow(LeaseLostError)
    expect((await superuser.query('select 1 from audit_anchor_heads')).rowCount).toBe(0)
  })

  const later = (days: number) => new Date(at.getTime() + days * 86_400_000)

  it('is made once a day, by one of many servers, over the chains that grew', async () => {
    const anchors = await Promise.all(Array.from({ length: 4 }, () => anchor()))
    expect(anchors.filter(Boolean)).toHaveLength(1)
    expect(await anchor()).toBeNull()
    await write(subjects[0] ?? '', {})
    expect(await anchor(later(1))).toMatchObject({ day: '2026-12-06', heads: 1n })
    expect(await anchor(later(2))).toMatchObject({ heads: 0n })
    expect(await verify()).toMatchObject({ anchors: 3, broken: [] })
  })

  it('is valid under a replaced key, but not under a foreign one', async () => {
    await anchor()
    const next = pem()
    await anchor(later(1), [next, key])
    expect((await verify([next, key])).broken).toEqual([])
    const publicHalf = createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString()
    expect((await verify([next, publicHalf])).broken).toEqual([])
    expect((await verify([next])).broken).toEqual([
      expect.stringMatching(/anchor of 2026-12-05: its signature matches none of the given keys/),
    ])
  })

  it('that is cut off with the entries of its day is found by its line in the log', async () => {
    let logged = ''
    const log = pino({}, { write: (line: string) => void (logged += line) })
    await anchor(at, [key], log)
    await write(subjects[0] ?? '', {})
    await anchor(later(1), [key], log)
    expect(await verify([key], logged)).toMatchObject({ anchors: 2, broken: [] })
    await tamper('delete from access_log where subject_id = $1 and sequence = 6', [subjects[0]])
    await tamper(
      `update access_log_heads set sequence = 5, hash = (select hash from access_log where subject_id = $1 and sequence = 5) where subject_id = $1`,
      [subjects[0]],
    )
    for (const table of ['audit_anchor_heads', 'audit_anchors']) await tamper(`delete from ${table} where day = '2026-12-06'`)
    expect((await verify()).broken).toEqual([])
    expect((await verify([key], logged)).broken).toEqual(['anchor of 2026-12-06: is missing, or differs from its line in the log'])
    expect((await verify([pem()], logged)).broken).toContainEqual(
      'anchor of 2026-12-06: its line in the log is signed by none of the given keys',
    )
  })

  it('cannot be omitted, because the next one includes it', async () => {
    await anchor()
    await write(subjects[0] ?? '', {})
    await anchor(later(1))
    await tamper("delete from audit_anchors where day = '2026-12-05'")
    expect((await verify()).broken.length).toBeGreaterThan(0)
  })
})
