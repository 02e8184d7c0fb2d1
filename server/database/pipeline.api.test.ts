import { sql as raw } from 'kysely'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest'
import { testDistribution } from '#testkit/citus.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { cloneDatabase } from '#testkit/test-database.ts'
import { prepareTownTemplate } from '#testkit/town-template.ts'
import { until } from '#testkit/until.ts'
import { uuidv7 } from 'uuidv7'
import { sessionAccess, insertSession } from '../auth/session-store.ts'
import { factsOfBorrower } from '../loans/facts-store.ts'
import { loansOfBorrower } from '../loans/loan-store.ts'
import { connect, type Database } from './connect.ts'
import { statement } from './statement.ts'

let clone: Awaited<ReturnType<typeof cloneDatabase>>
let database: Database
const now = new Date()
const seenSince = new Date(now.getTime() - 60_000)
const ids = new Map<number, string>()

const open = () => connect(clone.appUrl, { connectionsMax: 1, connectTimeoutMs: 60_000, statementTimeoutMs: 60_000, ...testDistribution })

beforeAll(async () => {
  const town = await prepareTownTemplate(inject('cluster'), undefined)
  clone = await cloneDatabase(inject('cluster'), town.database)
  const reading = open()
  for (const number of [1, 2, 9]) {
    const { user_id } = await reading.asSystem((sql) =>
      sql.selectFrom('user_phones').select('user_id').where('phone', '=', demoPhone(number)).executeTakeFirstOrThrow(),
    )
    ids.set(number, user_id)
  }
  await reading.close()
})
afterAll(() => clone.drop())
beforeEach(() => {
  database = open()
})
afterEach(async () => {
  vi.restoreAllMocks()
  await database.close()
})

const idOf = (number: number) => ids.get(number) ?? ''

async function signIn(
  number: number,
  more: { expiresAt?: Date; seenAt?: Date; assumedUserId?: string; parentSessionId?: string } = {},
): Promise<string> {
  const sessionId = uuidv7()
  const session = {
    userId: idOf(number),
    createdAt: now,
    expiresAt: more.expiresAt ?? new Date(now.getTime() + 60_000),
    remoteAddress: '',
    userAgent: '',
  }
  await database.asSystem(async (sql) => {
    await insertSession(sql, {
      ...session,
      sessionId,
      ...(more.assumedUserId && {
        assumed: { userId: more.assumedUserId, parentSessionId: more.parentSessionId ?? uuidv7(), reason: null },
      }),
    })
    if (more.seenAt) await sql.updateTable('sessions').set({ last_seen_at: more.seenAt }).where('session_id', '=', sessionId).execute()
  })
  return sessionId
}

/** The number of loans of each of two borrowers that a session's pipeline can read. */
async function loansSeen(userId: string, sessionId: string): Promise<number[]> {
  const reads = [1, 2].map((number) => loansOfBorrower.with({ borrowerId: idOf(number) }))
  const { rows } = await database.readAsSession(
    (timeoutMs) => sessionAccess.with({ userId, sessionId, scope: 'borrower', now, seenSince, timeoutMs }),
    reads,
  )
  return rows.map((loans) => loans.length)
}

describe('a pipeline that starts with a session', () => {
  it('reads the rows of the session’s own borrower, and of nobody else', async () => {
    expect(await loansSeen(idOf(1), await signIn(1))).toEqual([1, 0])
    expect(await loansSeen(idOf(2), await signIn(2))).toEqual([0, 2])
  })

  it('reads nothing with a closed session', async () => {
    const userId = idOf(1)
    const revoked = await signIn(1)
    await database.asSystem((sql) => sql.updateTable('sessions').set({ revoked_at: now }).where('session_id', '=', revoked).execute())
    const sessions = [
      uuidv7(),
      revoked,
      await signIn(1, { expiresAt: now }),
      await signIn(1, { seenAt: new Date(seenSince.getTime() - 1) }),
    ]
    for (const sessionId of sessions) expect(await loansSeen(userId, sessionId)).toEqual([0, 0])
    // Another person's session with the caller's user id.
    expect(await loansSeen(userId, await signIn(2))).toEqual([0, 0])
  })

  it('reads nothing with a disabled account, as staff, and with a session that acts for a borrower without its parent', async () => {
    const sessionId = await signIn(1)
    const disable = (at: Date | null) =>
      database.asSystem((sql) => sql.updateTable('users').set({ disabled_at: at }).where('user_id', '=', idOf(1)).execute())
    await disable(now)
    expect(await loansSeen(idOf(1), sessionId)).toEqual([0, 0])
    await disable(null)
    expect(await loansSeen(idOf(1), sessionId)).toEqual([1, 0])
    expect(await loansSeen(idOf(9), await signIn(9))).toEqual([0, 0])
    expect(await loansSeen(idOf(9), await signIn(9, { assumedUserId: idOf(1) }))).toEqual([0, 0])
  })

  it('reads the assumed borrower’s rows, and nothing once staff may no longer act', async () => {
    const parentSessionId = await signIn(9)
    const sessionId = await signIn(9, { assumedUserId: idOf(2), parentSessionId })
    const seen = () => loansSeen(idOf(9), sessionId)
    expect(await seen()).toEqual([0, 2])
    const change = (userId: string, values: { roles?: string[]; permissions?: string[]; disabled_at?: Date | null }) =>
      database.asSystem((sql) => sql.updateTable('users').set(values).where('user_id', '=', userId).execute())
    for (const [userId, lost, held] of [
      [idOf(9), { roles: [] }, { roles: ['tech/assume'] }],
      [idOf(9), { permissions: [] }, { permissions: ['user:assume'] }],
      [idOf(2), { disabled_at: now }, { disabled_at: null }],
    ] as const) {
      await change(userId, { ...lost } as Parameters<typeof change>[1])
      expect(await seen()).toEqual([0, 0])
      await change(userId, { ...held } as Parameters<typeof change>[1])
      expect(await seen()).toEqual([0, 2])
    }
    await database.asSystem((sql) =>
      sql.updateTable('sessions').set({ revoked_at: now }).where('session_id', '=', parentSessionId).execute(),
    )
    expect(await seen()).toEqual([0, 0])
  })

  it('is one message to the database and back', async () => {
    const sessionId = await signIn(1)
    await loansSeen(idOf(1), sessionId)
    const queries = vi.spyOn(pg.Client.prototype, 'query')
    expect(await loansSeen(idOf(1), sessionId)).toEqual([1, 0])
    expect(queries.mock.calls).toHaveLength(1)
  })

  it('leaves no access rights on the connection', async () => {
    await loansSeen(idOf(1), await signIn(1))
    const [[row] = []] = await database.readAsBorrower('', [
      statement<Record<string, never>>()((sql) =>
        sql.selectNoFrom(raw<string>`current_setting('app.borrower_id') || current_setting('app.system')`.as('left')),
      ).with({}),
    ])
    expect(row).toEqual({ left: 'off' })
    await expect(
      database.asSystem((sql) => raw<{ left: string }>`select current_setting('app.borrower_id') as left`.execute(sql)),
    ).resolves.toMatchObject({ rows: [{ left: '' }] })
  })
})

describe('sessions that read at the same time', () => {
  const dividing = statement<{ by: string }>()((sql, { by }) => sql.selectNoFrom(raw`1 / ${by}::integer`.as('one')))
  const ask = (userId: string, sessionId: string, by = '1') =>
    database.readAsSession(
      (timeoutMs) => sessionAccess.with({ userId, sessionId, scope: 'borrower', now, seenSince, timeoutMs }),
      [...[1, 2].map((number) => loansOfBorrower.with({ borrowerId: idOf(number) })), dividing.with({ by })],
    )
  const seen = ({ rows }: Awaited<ReturnType<typeof ask>>) => rows.slice(0, 2).map((loans) => loans.length)

  it('share a message, and each reads its own rows', async () => {
    const [first, second] = [await signIn(1), await signIn(2)]
    await ask(idOf(1), first)
    const connections = vi.spyOn(pg.Pool.prototype, 'connect')
    const asked = Array.from({ length: 5 }, () => [ask(idOf(1), first), ask(idOf(2), second), ask(idOf(1), uuidv7())]).flat()
    const own = [
      [1, 0],
      [0, 2],
      [0, 0],
    ]
    expect((await Promise.all(asked)).map(seen)).toEqual(Array.from({ length: 5 }, () => own).flat())
    expect(connections.mock.calls.length).toBeLessThan(5)
  })

  it('fail alone', async () => {
    const [first, second] = [await signIn(1), await signIn(2)]
    await ask(idOf(1), first)
    const [own, failing, ...others] = await Promise.allSettled([
      ask(idOf(1), first),
      ask(idOf(1), first, '0'),
      ask(idOf(2), second),
      ask(idOf(2), second, '0'),
      ask(idOf(2), second),
    ])
    expect([own, others[0], others[2]].map((read) => read?.status === 'fulfilled' && seen(read.value))).toEqual([
      [1, 0],
      [0, 2],
      [0, 2],
    ])
    for (const read of [failing, others[1]]) expect(read).toMatchObject({ status: 'rejected', reason: { code: '22012' } })
  })
})

describe('statements of a pipeline', () => {
  it('return the same rows as in a transaction', async () => {
    const borrowerId = idOf(2)
    const reads = [loansOfBorrower.with({ borrowerId }), factsOfBorrower.with({ borrowerId })]
    const together = await database.readAsBorrower(borrowerId, reads)
    // Again as prepared statements, without Parse and Describe.
    expect(await database.readAsBorrower(borrowerId, reads)).toEqual(together)
    const inTransaction = await database.asBorrower(borrowerId, (sql) =>
      sql
        .selectFrom('loans')
        .select(['lan', 'sanctioned_paise', 'first_due_date', 'created_at'])
        .orderBy('sanctioned_on', 'desc')
        .orderBy('lan')
        .execute(),
    )
    expect(together[0]).toMatchObject(inTransaction)
  })

  it('continue without names if a pooler has switched the connection', async () => {
    const reads = [loansOfBorrower.with({ borrowerId: idOf(1) })]
    await database.readAsBorrower(idOf(1), reads)
    await database.asSystem((sql) => raw`deallocate all`.execute(sql))
    for (let turn = 0; turn < 2; turn += 1) {
      const [loans] = await database.readAsBorrower(idOf(1), reads)
      expect(loans).toHaveLength(1)
    }
  })

  it('fail together and leave the pool intact', async () => {
    const failing = statement<Record<string, never>>()((sql) =>
      sql.selectNoFrom(raw`1 / (length(current_setting('app.system')) - 3)`.as('never')),
    )
    await expect(
      database.readAsBorrower(idOf(1), [
        loansOfBorrower.with({ borrowerId: idOf(1) }),
        failing.with({}),
        loansOfBorrower.with({ borrowerId: idOf(1) }),
      ]),
    ).rejects.toMatchObject({ code: '22012' })
    const [loans] = await database.readAsBorrower(idOf(1), [loansOfBorrower.with({ borrowerId: idOf(1) })])
    expect(loans).toHaveLength(1)
  })

  it('end at their time limit', async () => {
    // Counting, not sleeping: under a moved clock the database does not wake up for its time limit.
    const slow = statement<Record<string, never>>()((sql) =>
      sql.selectNoFrom(raw`(select count(*) from generate_series(1, 1000000000))`.as('counted')),
    )
    const shortTimeout = connect(clone.appUrl, {
      connectionsMax: 1,
      connectTimeoutMs: 60_000,
      statementTimeoutMs: 100,
      ...testDistribution,
    })
    try {
      // On a busy machine the socket may reach its own limit first; that error has no code.
      const codeOfError = () =>
        shortTimeout.readAsBorrower(idOf(1), [slow.with({})]).then(
          () => 'no error',
          ({ code }: { code?: string }) => code,
        )
      expect(await until(codeOfError)).toBe('57014')
    } finally {
      await shortTimeout.close()
    }
  })
})

it('lists of text are read as the driver reads them', async () => {
  const lists = [['document:read', 'tech/assume', 'user.read,only'], [], [''], ['null', 'NULL'], ['a b', '"', '\\', '{', 'é'], [null, 'x']]
  const client = new pg.Client({ connectionString: clone.appUrl })
  await client.connect()
  for (const list of lists) {
    const { rows } = await client.query<{ list: unknown }>('select $1::text[] as list', [list])
    const read = await database.asSystem(async (sql) => (await raw<{ list: unknown }>`select ${list}::text[] as list`.execute(sql)).rows)
    expect(read).toEqual(rows)
  }
  await client.end()
})
