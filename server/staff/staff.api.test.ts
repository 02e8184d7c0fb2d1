import { createHash } from 'node:crypto'
import { decodeJwt } from 'jose'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { countBorrowers } from '#testkit/count-borrowers.ts'
import { countLockWaits } from '#testkit/lock-waits.ts'
import { change as changeStaff } from '#cli/commands/staff.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { startApp, until, type App } from '#testkit/start-app.ts'
import { signInSteps } from '../auth/sign-in.testing.ts'
import { unnamedOperator } from './operator.ts'
import { disableUser } from './staff-store.ts'

let app: App
let steps: ReturnType<typeof signInSteps>
let staff: string
let borrower: string
const ids = new Map<number, string>()

beforeAll(async () => {
  app = await startApp(inject('cluster'), { town: true })
  steps = signInSteps(app)
  staff = await steps.signIn(demoPhone(9))
  borrower = await steps.signIn(demoPhone(1))
  for (let number = 1; number <= 11; number++) {
    const row = await app.database.asSystem((sql) =>
      sql.selectFrom('user_phones').select('user_id').where('phone', '=', demoPhone(number)).executeTakeFirstOrThrow(),
    )
    ids.set(number, row.user_id)
  }
})
afterAll(() => app.close())

type Row = {
  user_id: string
  metadata: { first_name: string; last_name: string }
  worst_loan: { lan: string; loan_status: string; dpd: number } | null
  loan_count: number
}
const idOf = (number: number) => ids.get(number) ?? ''
const del = (path: string, token: string) => steps.call('DELETE', path, undefined, `Bearer ${token}`)
const search = async (query: string, token = staff) => {
  const { status, body } = await app.get(`/auth/users/all?${query}`, token)
  return { status, users: (body['users'] ?? []) as Row[], total_pages: body['total_pages'], code: body['code'] }
}
const names = async (text: string) => {
  const { users } = await search(new URLSearchParams({ search: text, page_size: '100' }).toString())
  return users.map(({ metadata }) => metadata.first_name)
}
const assume = (number: number, token = staff, reason?: string) =>
  app.post('/auth/assume', { user_id_to_assume: idOf(number), reason }, token)
const statusOf = async (token: unknown) => (await app.get('/auth/permissions', String(token))).status
/** Adds a staff member and signs in. */
async function newStaff(person: Parameters<typeof steps.addPerson>[0] = {}) {
  const added = await steps.addPerson({ kind: 'staff', roles: ['tech/assume'], permissions: ['user:assume'], ...person })
  return { ...added, token: await steps.signIn(added.phone) }
}
const change = (userId: string, values: { roles?: string[]; permissions?: string[]; disabled_at?: Date | null }) =>
  app.database.asSystem((sql) => sql.updateTable('users').set(values).where('user_id', '=', userId).execute())

describe('GET /auth/users/all', () => {
  it('200: the borrowers, without staff, by last name, first name and id', async () => {
    const { users, total_pages } = await search('page_size=100')
    const order = users.map(({ user_id, metadata }) => `${metadata.last_name}\u0000${metadata.first_name}\u0000${user_id}`)
    expect(users).toHaveLength(await countBorrowers(app.database))
    expect(order).toEqual([...order].sort())
    expect(total_pages).toBe(1)
    expect(users.map(({ user_id }) => user_id)).not.toContain(idOf(9))
  })

  it('200: each with the worst loan of the day and the number of all, read in one round trip', async () => {
    const { database } = app.context
    let roundTrips = 0
    app.context.database = {
      ...database,
      readAsSystem: (reads) => {
        roundTrips += 1
        return database.readAsSystem(reads)
      },
    }
    const { users } = await search('page_size=100')
    app.context.database = database
    expect(roundTrips).toBe(1)
    const listed = new Map(users.map(({ user_id, worst_loan, loan_count }) => [user_id, { worst_loan, loan_count }]))
    const summaryOf = async (number: number) => {
      const { body } = await app.get('/portal/loans-summary', await steps.signIn(demoPhone(number)))
      return (body['loans'] as { lan: string; loan_status: string; dpd: number }[]).map(({ lan, loan_status, dpd }) => ({
        lan,
        loan_status,
        dpd,
      }))
    }
    const [overdue, closed] = await summaryOf(2)
    expect([overdue?.loan_status, overdue?.dpd, closed?.loan_status]).toEqual(['OVERDUE', 12, 'CLOSED'])
    expect(listed.get(idOf(2))).toEqual({ worst_loan: overdue, loan_count: 2 })
    for (const number of [1, 4, 5, 11])
      expect(listed.get(idOf(number))).toEqual({ worst_loan: (await summaryOf(number))[0], loan_count: 1 })
    for (const number of [3, 6]) expect(listed.get(idOf(number))).toEqual({ worst_loan: null, loan_count: 0 })
    expect((await search('search=nobodyatall')).users).toEqual([])
  })

  it('200: ten a page by default, the rest on the next, nothing beyond the end', async () => {
    const first = await search('page_size=4')
    const second = await search('page=2&page_size=4')
    const all = await countBorrowers(app.database)
    const pages = Math.ceil(all / 4)
    const later = await Promise.all(Array.from({ length: pages - 2 }, (_, index) => search(`page=${index + 3}&page_size=4`)))
    const sizes = [first, second, ...later].map(({ users }) => users.length)
    expect([first.total_pages, sizes.slice(0, -1), sizes.at(-1)]).toEqual([pages, Array(pages - 1).fill(4), all - 4 * (pages - 1)])
    expect(new Set([first, second, ...later].flatMap(({ users }) => users.map(({ user_id }) => user_id))).size).toBe(all)
    expect(await search(`page=${pages + 1}&page_size=4`)).toMatchObject({ status: 200, users: [], total_pages: pages })
    expect((await search('')).users).toHaveLength(10)
  })

  it.each([
    ['a part of a name', 'nany', ['Ananya']],
    ['a name in capitals', 'DESHPANDE', ['Ananya']],
    ['first and last name, either way round', 'deshpande ananya', ['Ananya']],
    ['a part of an e-mail address', 'bilal.ansari@ex', ['Bilal']],
    ['a phone as it is written', '+91 90000-00002', ['Bilal']],
    ['ten digits of it', '9000000002', ['Bilal']],
    ['its last digits', '0000011', ['Kavya']],
    ['a PAN in small letters', 'blrpa2210b', ['Bilal']],
    ['two letters', 'zz', []],
    ['a typo in a name', 'ananaya', ['Ananya']],
    ['a typo in a last name', 'deshpnde', ['Ananya']],
    ['two typos', 'kulkarini eshaa', ['Esha']],
    ['a typo in an e-mail address', 'farhann', ['Farhan']],
    ['nobody', 'xyzzyqua', []],
  ])('200: finds by %s', async (_what, text, found) => {
    expect(await names(text)).toEqual(found)
  })

  it('200: only substring matches, if there are any', async () => {
    expect(await names('rao')).toEqual([])
    expect(await names('ansar')).toEqual(['Bilal'])
  })

  it('P03: %, _ and \\ are literal', async () => {
    for (const text of ['%', '_', '\\', '%%', 'a%a', "'", "' or 1=1 --", '../']) expect(await names(text)).toEqual([])
  })

  it.each([
    'page=0',
    'page=-1',
    'page=1.5',
    'page=a',
    'page=1e3',
    'page=1000000000',
    'page_size=0',
    'page_size=101',
    'page_size=1000000',
    'page=1&page=2',
    'search=a&search=b',
    `search=${'a'.repeat(101)}`,
    'search=%00',
    'search=a%0Ab',
    'search=%E2%80%AEabc',
  ])('P04: 400: %s', async (query) => {
    expect(await search(query)).toMatchObject({ status: 400, code: 'InvalidRequest' })
  })

  it('200: without disabled accounts, which nobody can act for', async () => {
    expect((await search('search=Jyoti')).users).toEqual([])
    expect((await search('search=Deshpande')).users).toHaveLength(1)
  })

  it('an unknown parameter changes nothing', async () => {
    expect((await search('unknown=ananya')).users).toHaveLength(10)
  })

  it.each(['search[]=ananya', 'page_size[$gt]=1', 'search=ananya&search=bilal'])('Z14: 400: %s', async (query) => {
    expect(await search(query)).toMatchObject({ status: 400, code: 'InvalidRequest', users: [] })
  })

  it('Z08: 403 for a borrower, 401 without a session', async () => {
    expect(await search('', borrower)).toMatchObject({ status: 403, code: 'PermissionDenied' })
    expect((await search('', '')).status).toBe(401)
  })

  it('200: with the role only; 403 without it', async () => {
    const { token, userId } = await newStaff({ permissions: [] })
    expect((await search('', token)).status).toBe(200)
    await change(userId, { roles: [] })
    expect([await statusOf(token), (await search('', token)).status]).toEqual([401, 401])
  })
})

describe('GET /auth/users/{user_id}', () => {
  it('Z09: 200: oneself, with the fields of the specification and no other', async () => {
    const { status, body } = await app.get(`/auth/users/${idOf(1)}`, borrower)
    expect(status).toBe(200)
    expect(body).toEqual({
      user: {
        user_id: idOf(1),
        email: 'ananya.deshpande@example.in',
        phone: demoPhone(1),
        pan: 'AKRPD7301A',
        metadata: {
          first_name: 'Ananya',
          last_name: 'Deshpande',
          phone: demoPhone(1),
          email: 'ananya.deshpande@example.in',
          email_verified: true,
          pan: 'AKRPD7301A',
          is_ongoing_application: false,
        },
      },
    })
  })

  it('200: a borrower, for staff with the role', async () => {
    expect((await app.get(`/auth/users/${idOf(2)}`, staff)).status).toBe(200)
    expect((await app.get(`/auth/users/${idOf(9)}`, staff)).status).toBe(200)
  })

  it('404: anyone else, like a missing user', async () => {
    const missingId = '0197f3a0-0000-7000-8000-000000000000'
    const answers = [
      await app.get(`/auth/users/${idOf(2)}`, borrower),
      await app.get(`/auth/users/${missingId}`, borrower),
      await app.get(`/auth/users/${idOf(8)}`, staff),
      await app.get(`/auth/users/${missingId}`, staff),
      await app.get('/auth/users/no-uuid', staff),
    ]
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
    expect(new Set(answers.map(({ body }) => body['detail'])).size).toBe(1)
  })
})

describe('a borrower’s profile read by staff', () => {
  const entriesOf = (subjectId: string, actorId: string) =>
    app.database.asSystem((sql) =>
      sql
        .selectFrom('access_log')
        .select(['action', 'outcome', 'detail', 'session_id'])
        .where('subject_id', '=', subjectId)
        .where('actor_id', '=', actorId)
        .orderBy('sequence')
        .execute(),
    )

  it('H11, L01: is an entry of that borrower’s access log with the reader’s name, visible to the borrower', async () => {
    const person = await steps.addPerson()
    const { token, userId } = await newStaff()
    expect((await app.get(`/auth/users/${person.userId}`, token)).status).toBe(200)
    expect((await app.get(`/auth/users/${userId}`, token)).status).toBe(200)
    expect(await entriesOf(person.userId, userId)).toEqual([
      {
        action: 'profile_viewed',
        outcome: 'done',
        detail: { call: 'readUser', reader: 'Asha Rao' },
        session_id: decodeJwt(token)['sid'],
      },
    ])
    const own = await app.get('/portal/staff-access', await steps.signIn(person.phone))
    expect(own.body['staff_access']).toEqual([
      {
        kind: 'profile_read',
        started_at: expect.any(String),
        ended_at: expect.any(String),
        team: 'support',
        reason: null,
        acts: [{ act: 'profile_viewed', first_at: expect.any(String), times: 1 }],
      },
    ])
    expect(JSON.stringify(own.body)).not.toMatch(/Asha|Rao/)
  })

  it('I08: while acting for another borrower, is an entry of the borrower who was read, not of the other one', async () => {
    const [acted, read] = [await steps.addPerson(), await steps.addPerson()]
    const { token, userId } = await newStaff()
    const assumed = String((await app.post('/auth/assume', { user_id_to_assume: acted.userId }, token)).body['token'])
    expect((await app.get(`/auth/users/${read.userId}`, assumed)).status).toBe(200)
    expect((await app.get(`/auth/users/${userId}`, assumed)).status).toBe(200)
    expect((await app.get(`/auth/users/0197f3a0-0000-7000-8000-000000000000`, assumed)).status).toBe(404)
    expect((await entriesOf(acted.userId, userId)).map(({ action }) => action)).toEqual(['assume_started'])
    expect((await entriesOf(read.userId, userId)).map(({ action }) => action)).toEqual(['profile_viewed'])
    expect((await entriesOf(userId, userId)).filter(({ action }) => action === 'staff_request')).toMatchObject([
      { outcome: 'done' },
      { outcome: 'refused' },
    ])
    const shownTo = async (phone: string) => {
      const { body } = await app.get('/portal/staff-access', await steps.signIn(phone))
      return (body['staff_access'] as { kind: string; acts: unknown[] }[]).map(({ kind, acts }) => [kind, acts.length])
    }
    expect(await shownTo(acted.phone)).toEqual([['assumed', 0]])
    expect(await shownTo(read.phone)).toEqual([['profile_read', 1]])
  })

  it('while acting for that borrower, is part of the assumed session', async () => {
    const person = await steps.addPerson()
    const { token } = await newStaff()
    const assumed = String((await app.post('/auth/assume', { user_id_to_assume: person.userId }, token)).body['token'])
    await app.get(`/auth/users/${person.userId}`, assumed)
    const { body } = await app.get('/portal/staff-access', await steps.signIn(person.phone))
    expect(body['staff_access']).toMatchObject([{ kind: 'assumed', acts: [{ act: 'profile_viewed', times: 1 }] }])
  })

  it('each page of the list is an entry that names the search', async () => {
    const { token, userId } = await newStaff()
    await search('search=Deshpande%20%2B91', token)
    await search('page=2&page_size=4', token)
    const entries = (await entriesOf(userId, userId)).filter(({ action }) => action === 'users_searched')
    const searches = await app.database.asSystem((sql) =>
      sql.selectFrom('staff_searches').selectAll().where('user_id', '=', userId).execute(),
    )
    expect(searches).toMatchObject([{ words: ['deshpande', '+91'] }])
    const [named] = searches
    const proof = createHash('sha256')
      .update(named?.salt ?? '')
      .update(JSON.stringify(named?.words))
      .digest('hex')
    expect(entries.map(({ detail }) => detail)).toEqual([
      { search: named?.search_id, search_hash: proof, page: 1, page_size: 10, found: 1 },
      { search: null, search_hash: null, page: 2, page_size: 4, found: expect.any(Number) },
    ])
  })
})

describe('POST /auth/assume', () => {
  /** Filters the tokens that still work. */
  const alive = async (tokens: readonly string[]) => {
    const statuses = await Promise.all(tokens.map(statusOf))
    return tokens.filter((_token, index) => statuses[index] === 200)
  }
  const openSessionsOf = (userId: string) =>
    app.database.asSystem((sql) =>
      sql
        .selectFrom('sessions')
        .select('session_id')
        .where('user_id', '=', userId)
        .where('assumed_user_id', 'is not', null)
        .where('revoked_at', 'is', null)
        .execute(),
    )

  it('acts for one borrower at a time, also with the staff member’s own token', async () => {
    const { token, userId } = await newStaff()
    const first = String((await assume(1, token)).body['token'])
    const second = String((await assume(2, token)).body['token'])
    expect(await alive([first, second, token])).toEqual([second, token])
    const ended = await app.database.asSystem((sql) =>
      sql
        .selectFrom('access_log')
        .select(['action', 'session_id'])
        .where('subject_id', '=', idOf(1))
        .where('actor_id', '=', userId)
        .orderBy('sequence')
        .execute(),
    )
    expect(ended.map(({ action }) => action)).toEqual(['assume_started', 'assume_ended'])
    expect(new Set(ended.map(({ session_id }) => session_id)).size).toBe(1)
  })

  it('leaves exactly one assumed session of twenty concurrent requests with the staff member’s own token', async () => {
    const { token, userId } = await newStaff()
    const answers = await Promise.all(Array.from({ length: 20 }, (_one, index) => assume(index % 2 === 0 ? 1 : 2, token)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await openSessionsOf(userId)).toHaveLength(1)
    expect(await alive(answers.map(({ body }) => String(body['token'])))).toHaveLength(1)
    const sessions = await app.database.asSystem((sql) =>
      sql.selectFrom('sessions').select(['created_at', 'revoked_at']).where('user_id', '=', userId).execute(),
    )
    expect(sessions.filter(({ created_at, revoked_at }) => revoked_at !== null && revoked_at < created_at)).toEqual([])
  })

  it.each([
    ['the start of an assumed session', 'assume_started', (_assumed: string, token: string) => assume(2, token)],
    ['its end', 'assume_ended', (assumed: string) => del('/auth/assume', assumed)],
    ['the end of the sign-in', 'sign_out', (_assumed: string, token: string) => app.post('/auth/logout', undefined, token)],
  ] as const)('the time of %s is read after waiting for another request', async (_what, action, send) => {
    const { token, userId } = await newStaff()
    const assumed = String((await assume(1, token)).body['token'])
    const barrier = new pg.Client({ connectionString: app.databaseUrls.superuserUrl })
    await barrier.connect()
    try {
      await barrier.query('begin')
      await barrier.query('select from sessions where user_id = $1 for update', [userId])
      const sent = send(assumed, token)
      await until(async () => (await countLockWaits(app.databaseUrls.superuserUrl)) >= 1)
      await app.clock.advance(5_000)
      const released = app.clock.now()
      await barrier.query('commit')
      expect((await sent).status).toBe(200)
      const entries = await app.database.asSystem((sql) =>
        sql.selectFrom('access_log').select('at').where('actor_id', '=', userId).where('action', '=', action).orderBy('at').execute(),
      )
      expect(entries.at(-1)?.at.getTime()).toBeGreaterThanOrEqual(released.getTime())
    } finally {
      await barrier.end()
    }
  })

  it('gives one of ten concurrent requests a token, and the others 401', async () => {
    const { token, userId } = await newStaff()
    const assumed = String((await assume(1, token)).body['token'])
    const answers = await Promise.all(Array.from({ length: 10 }, () => assume(2, assumed)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 9 }, () => 401)])
    expect(await openSessionsOf(userId)).toHaveLength(1)
    expect(await alive(answers.map(({ body }) => String(body['token'])))).toHaveLength(1)
  })

  it('two staff members who swap their borrowers do not deadlock', async () => {
    const [one, other] = [await newStaff(), await newStaff()]
    const firsts = [String((await assume(3, one.token)).body['token']), String((await assume(4, other.token)).body['token'])]
    const barrier = new pg.Client({ connectionString: app.databaseUrls.superuserUrl })
    await barrier.connect()
    try {
      await barrier.query('begin')
      await barrier.query('select from access_log_heads where subject_id = $1 for update', [idOf(3)])
      // authorize writes its own entry first in a separate transaction; the barrier applies to what
      // follows.
      const swaps = [assume(4, one.token), assume(3, other.token)]
      await until(async () => (await countLockWaits(app.databaseUrls.superuserUrl)) >= 2)
      await barrier.query('commit')
      expect((await Promise.all(swaps)).map(({ status }) => status)).toEqual([200, 200])
      expect(await alive(firsts)).toEqual([])
    } finally {
      await barrier.end()
    }
  })

  it('I04: 200: a token that names both people and ends in half an hour', async () => {
    const { status, body } = await assume(1)
    expect(status).toBe(200)
    const claims = decodeJwt(String(body['token']))
    expect(claims).toMatchObject({ sub: idOf(9), assumed_user_id: idOf(1), roles: ['tech/assume'] })
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(1_800)
    const loans = await app.get('/portal/loans-summary', String(body['token']))
    expect((loans.body['loans'] as { lan: string }[])[0]?.lan).toBe('KST-24-004173')
    expect((await app.get('/auth/permissions', String(body['token']))).body['permissions']).toEqual([
      'loan:update',
      'document:create',
      'document:read',
      'payment_link:create',
      'payment_link:update',
      'user:assume',
    ])
    expect((await app.get(`/auth/users/${idOf(1)}`, String(body['token']))).status).toBe(200)
  })

  it('I01: 403 without the role, without the permission, for a borrower', async () => {
    const withoutPermission = await steps.signIn(demoPhone(8))
    const withoutRole = (await newStaff({ roles: [] })).token
    for (const one of [withoutPermission, withoutRole, borrower]) expect((await assume(1, one)).status).toBe(403)
    const later = await newStaff({ permissions: [] })
    expect((await assume(1, later.token)).status).toBe(403)
    await change(later.userId, { permissions: ['user:assume'] })
    expect((await assume(1, later.token)).status).toBe(200)
  })

  it('I02: the same 404 for staff, oneself, disabled and missing users', async () => {
    const answers = [await assume(8), await assume(9), await assume(10)]
    for (const id of ['0197f3a0-0000-7000-8000-000000000000', 'x'])
      answers.push(await app.post('/auth/assume', { user_id_to_assume: id }, staff))
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
    expect(new Set(answers.map(({ body }) => body['detail'])).size).toBe(1)
  })

  it.each([
    ['nothing', {}],
    ['a number', { user_id_to_assume: 5 }],
    ['a list', { user_id_to_assume: ['a'] }],
    ['a path', { user_id_to_assume: '../1' }],
    ['a reason too long', { user_id_to_assume: 'a', reason: 'x'.repeat(301) }],
    ['a reason with a line end', { user_id_to_assume: 'a', reason: 'x\r\ny' }],
  ])('400: %s', async (_what, body) => {
    expect((await app.post('/auth/assume', body, staff)).status).toBe(400)
  })

  it('I03: ends after half an hour, and with the staff member’s own session', async () => {
    const { token } = await newStaff()
    await app.clock.advance((7.75 * 3_600_000) / 31)
    const assumed = String((await assume(1, token)).body['token'])
    for (let minute = 0; minute < 29; minute += 14.5) {
      expect(await statusOf(assumed)).toBe(200)
      await app.clock.advance(14.5 * 60_000)
    }
    expect(await statusOf(assumed)).toBe(200)
    await app.clock.advance(60_000)
    expect(await statusOf(assumed)).toBe(401)
    staff = await steps.signIn(demoPhone(9))
    borrower = await steps.signIn(demoPhone(1))
  })

  it('never lasts longer than the staff member’s own session', async () => {
    const { token, userId } = await newStaff()
    const soon = new Date(app.clock.now().getTime() + 5 * 60_000)
    await app.database.asSystem((sql) => sql.updateTable('sessions').set({ expires_at: soon }).where('user_id', '=', userId).execute())
    const { body } = await assume(1, token)
    expect(new Date(String(body['expires_at'])).getTime()).toBeLessThanOrEqual(soon.getTime())
  })

  it('I05: never nests: another borrower replaces the first, whose token is invalid', async () => {
    const { token, userId } = await newStaff()
    const first = String((await assume(1, token)).body['token'])
    const second = String((await assume(2, first)).body['token'])
    expect([await statusOf(first), await statusOf(second), await statusOf(token)]).toEqual([401, 200, 200])
    expect(decodeJwt(second)).toMatchObject({ sub: userId, assumed_user_id: idOf(2) })
    const back = await del('/auth/assume', second)
    expect(decodeJwt(back.body.token ?? '')['sid']).toBe(decodeJwt(token)['sid'])
  })

  it.each([
    ['the role', { roles: [] }],
    ['the permission', { permissions: [] }],
    ['the account', { disabled_at: new Date(0) }],
  ])('I06: ends at the next request with %s of the staff member', async (_what, values) => {
    const { token, userId } = await newStaff()
    const assumed = String((await assume(1, token)).body['token'])
    expect(await statusOf(assumed)).toBe(200)
    await change(userId, values)
    expect(await statusOf(assumed)).toBe(401)
    expect((await app.get('/portal/loans-summary', assumed)).status).toBe(401)
  })

  it('I07: logging out ends it and the staff member’s own session', async () => {
    const { token } = await newStaff()
    const assumed = String((await assume(1, token)).body['token'])
    expect((await app.post('/auth/logout', undefined, assumed)).status).toBe(200)
    expect([await statusOf(assumed), await statusOf(token)]).toEqual([401, 401])
  })

  it('I07: ends when the staff member signs out elsewhere', async () => {
    const { token } = await newStaff()
    const assumed = String((await assume(1, token)).body['token'])
    await app.post('/auth/logout', undefined, token)
    expect(await statusOf(assumed)).toBe(401)
  })
})

describe('DELETE /auth/assume', () => {
  it('200: the staff member’s own token; the borrower’s is no longer valid', async () => {
    const { token, userId } = await newStaff()
    const assumed = String((await assume(1, token)).body['token'])
    await app.clock.advance(29 * 60_000)
    const { status, body } = await del('/auth/assume', assumed)
    expect([status, body.user?.user_id]).toEqual([200, userId])
    expect([await statusOf(assumed), await statusOf(body.token)]).toEqual([401, 200])
    expect(decodeJwt(body.token ?? '')['assumed_user_id']).toBeUndefined()
    // One token for a session, so that the limits of a session count it once.
    expect(body.token).toBe(token)
    staff = await steps.signIn(demoPhone(9))
    borrower = await steps.signIn(demoPhone(1))
  })

  it('gives only the remaining lifetime of the own session, only while it is open, and is logged', async () => {
    const { token, userId } = await newStaff()
    const soon = new Date((Math.floor(app.clock.now().getTime() / 1_000) + 5 * 60) * 1_000)
    await app.database.asSystem((sql) => sql.updateTable('sessions').set({ expires_at: soon }).where('user_id', '=', userId).execute())
    const assumed = String((await assume(1, token)).body['token'])
    const { status, body } = await del('/auth/assume', assumed)
    expect([status, decodeJwt(body.token ?? '').exp]).toEqual([200, soon.getTime() / 1_000])
    expect(decodeJwt(body.token ?? '')['sid']).toBe(decodeJwt(token)['sid'])
    const [entry] = await app.database.asSystem((sql) =>
      sql.selectFrom('access_log').select('detail').where('actor_id', '=', userId).where('action', '=', 'assume_ended').execute(),
    )
    expect(entry?.detail).toEqual({
      session_id: decodeJwt(assumed)['sid'],
      staff_session_id: decodeJwt(token)['sid'],
      staff_session_ends_at: soon.toISOString(),
    })
    const again = String((await assume(1, token)).body['token'])
    await app.post('/auth/logout', undefined, token)
    expect((await del('/auth/assume', again)).status).toBe(401)
  })

  it('200 without an assumed session; 403 for a borrower', async () => {
    const { token } = await newStaff()
    const { status, body } = await del('/auth/assume', token)
    expect([status, await statusOf(body.token)]).toEqual([200, 200])
    expect((await del('/auth/assume', borrower)).status).toBe(403)
  })
})

describe('while acting as a borrower', () => {
  it('I11: the borrower sees when, by whom, why, and what was done', async () => {
    const { token, userId } = await newStaff()
    const assumed = String((await assume(5, token, 'Ticket 4711: payment not shown')).body['token'])
    await app.get('/portal/loans-summary', assumed)
    await app.get('/portal/repayment-schedule?lead_id=KST-24-007790', assumed)
    await app.get('/portal/repayment-schedule?lead_id=KST-24-007790', assumed)
    const own = await steps.signIn(demoPhone(5))
    const running = await app.get('/portal/staff-access', own)
    expect((running.body['staff_access'] as unknown[])[0]).toMatchObject({ ended_at: null })
    await del('/auth/assume', assumed)
    const { status, body } = await app.get('/portal/staff-access', own)
    expect(status).toBe(200)
    expect(body['staff_access']).toEqual([
      {
        kind: 'assumed',
        started_at: expect.any(String),
        ended_at: expect.any(String),
        team: 'support',
        reason: 'Ticket 4711: payment not shown',
        acts: [
          { act: 'loans_viewed', first_at: expect.any(String), times: 1 },
          { act: 'schedule_viewed', first_at: expect.any(String), times: 2 },
        ],
      },
    ])
    expect(JSON.stringify(body)).not.toContain(userId)
  })

  it.each<[string, (given: { token: string; assumed: string; phone: string; userId: string }) => Promise<unknown>]>([
    ['signs out with the own token', ({ token }) => app.post('/auth/logout', undefined, token)],
    ['signs out while acting', ({ assumed }) => app.post('/auth/logout', undefined, assumed)],
    ['ends other sessions', async ({ phone }) => del('/auth/sessions', await steps.signIn(phone))],
    ['is disabled', ({ userId }) => app.database.asSystem((sql) => disableUser(sql, userId, app.clock.now()))],
    ['is found without the right to act', async ({ assumed, userId }) => (await change(userId, { permissions: [] }), statusOf(assumed))],
    ['is found without the role', async ({ token, userId }) => (await change(userId, { roles: [] }), statusOf(token))],
  ])('I11: the borrower sees that it has ended when the staff member %s', async (_what, end) => {
    const person = await steps.addPerson()
    const { token, phone, userId } = await newStaff()
    const { body } = await app.post('/auth/assume', { user_id_to_assume: person.userId }, token)
    const assumed = String(body['token'])
    await end({ token, assumed, phone, userId })
    expect(await statusOf(assumed)).toBe(401)
    const seen = (await app.get('/portal/staff-access', await steps.signIn(person.phone))).body['staff_access']
    expect(seen).toMatchObject([{ kind: 'assumed', ended_at: expect.any(String) }])
    const entries = await app.database.asSystem((sql) =>
      sql
        .selectFrom('access_log')
        .select('session_id')
        .where('subject_id', '=', person.userId)
        .where('action', '=', 'assume_ended')
        .execute(),
    )
    expect(entries).toEqual([{ session_id: decodeJwt(assumed)['sid'] }])
  })

  it('I07: signing out while acting is in the log of the staff member too, as the end of the sign-in', async () => {
    const { token, userId } = await newStaff()
    const assumed = String((await assume(7, token)).body['token'])
    await app.post('/auth/logout', undefined, assumed)
    const lines = await app.database.asSystem((sql) =>
      sql
        .selectFrom('access_log')
        .select(['session_id', 'detail'])
        .where('subject_id', '=', userId)
        .where('action', '=', 'sign_out')
        .execute(),
    )
    const own = decodeJwt(token)['sid']
    expect(lines).toEqual([{ session_id: own, detail: { session_id: own } }])
  })

  it('I08: start, end and every request are in the log, with actor, address and reason', async () => {
    const { token, userId } = await newStaff()
    const assumed = String((await assume(7, token)).body['token'])
    await app.get('/auth/permissions', assumed)
    await app.post('/auth/logout', undefined, assumed)
    const lines = await app.database.asSystem((sql) =>
      sql
        .selectFrom('access_log')
        .selectAll()
        .where('subject_id', '=', idOf(7))
        .where('actor_id', '=', userId)
        .orderBy('sequence')
        .execute(),
    )
    expect(lines.map(({ action }) => action)).toEqual(['assume_started', 'staff_request', 'staff_request', 'assume_ended'])
    expect(lines[0]).toMatchObject({ detail: { reason: 'not given' }, remote_address: '127.0.0.1' })
    expect(new Set(lines.map(({ session_id }) => session_id)).size).toBe(1)
  })

  it('I10: the sessions of the borrower and of the staff member are not accessible: 403', async () => {
    const { token } = await newStaff()
    const assumed = String((await assume(1, token)).body['token'])
    expect((await app.get('/auth/sessions', assumed)).body['code']).toBe('PermissionDenied')
    expect((await del('/auth/sessions', assumed)).status).toBe(403)
  })

  it('the staff list stays the staff member’s', async () => {
    const { token } = await newStaff()
    const assumed = String((await assume(1, token)).body['token'])
    expect((await search('', assumed)).status).toBe(200)
  })
})

describe('a right that was revoked and restored', () => {
  it('an account: earlier tokens stay invalid', async () => {
    const person = await steps.addPerson()
    const [seen, unseen] = [await steps.signIn(person.phone), await steps.signIn(person.phone)]
    await change(person.userId, { disabled_at: app.clock.now() })
    expect((await app.get('/portal/loans-summary', seen)).status).toBe(401)
    await change(person.userId, { disabled_at: null })
    expect([await statusOf(seen), await statusOf(unseen)]).toEqual([401, 401])
    expect(await statusOf(await steps.signIn(person.phone))).toBe(200)
  })

  it('a role: earlier tokens stay invalid, also those that act for a borrower', async () => {
    const { token, userId, phone } = await newStaff()
    const assumed = String((await assume(1, token)).body['token'])
    await change(userId, { roles: [] })
    expect([await statusOf(token), (await search('', token)).status]).toEqual([401, 401])
    await change(userId, { roles: ['tech/assume'] })
    expect([await statusOf(token), await statusOf(assumed)]).toEqual([401, 401])
    expect((await search('', await steps.signIn(phone))).status).toBe(200)
  })

  it.each([
    [
      'the right to assume',
      async (id: string) => change(id, { permissions: [] }),
      async (id: string) => change(id, { permissions: ['user:assume'] }),
    ],
    [
      'the borrower’s account',
      async () => change(idOf(6), { disabled_at: app.clock.now() }),
      async () => change(idOf(6), { disabled_at: null }),
    ],
  ])('%s: the token that acts for a borrower stays dead', async (_what, take, give) => {
    const { token, userId } = await newStaff()
    const assumed = String((await assume(6, token)).body['token'])
    await take(userId)
    expect(await statusOf(assumed)).toBe(401)
    await give(userId)
    expect([await statusOf(assumed), await statusOf(token)]).toEqual([401, 200])
  })
})

describe('kist staff change', () => {
  it('ends every session, and from then on the new phone alone signs in', async () => {
    const { token, phone } = await newStaff()
    const assumed = String((await assume(6, token)).body['token'])
    const newPhone = '+919222222222'
    const context = { database: app.database, clock: app.clock, operator: unnamedOperator() }
    const line = await changeStaff(context as never, { phone, newPhone, permissions: ['operations:read'] })
    expect(line).toMatch(/^changed: phone, permissions of /)
    expect([await statusOf(token), await statusOf(assumed)]).toEqual([401, 401])
    const { body } = await app.get('/auth/permissions', await steps.signIn(newPhone))
    expect(body['permissions']).toEqual(['operations:read'])
    await expect(changeStaff(context as never, { phone })).rejects.toThrow(`No staff member has the phone ${phone}`)
  })
})

describe('sessions', () => {
  it('A24: a sign-in on another device is listed with its time and user agent', async () => {
    const person = await steps.addPerson()
    const first = await steps.signIn(person.phone)
    await app.clock.advance(60_000)
    await steps.signIn(person.phone)
    const { body } = await app.get('/auth/sessions', first)
    const sessions = body['sessions'] as { created_at: string; user_agent: string; is_current: boolean }[]
    expect(sessions.map((one) => [one.is_current, one.user_agent])).toEqual([
      [false, 'node'],
      [true, 'node'],
    ])
    const [later = 0, earlier = 0] = sessions.map((one) => Date.parse(one.created_at))
    expect(later - earlier).toBeGreaterThanOrEqual(60_000)
  })

  it('S14: 200: lists the sessions; the others end, this one stays', async () => {
    const person = await steps.addPerson()
    const [first, second] = [await steps.signIn(person.phone), await steps.signIn(person.phone)]
    const { body } = await app.get('/auth/sessions', second)
    const sessions = body['sessions'] as { session_id: string; is_current: boolean }[]
    expect(sessions.map(({ is_current }) => is_current)).toEqual([true, false])
    expect(sessions[0]?.session_id).toBe(decodeJwt(second)['sid'])
    expect(await del('/auth/sessions', second)).toMatchObject({ status: 200, body: { success: true, ended: 1 } })
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200])
    expect((await del('/auth/sessions', second)).body).toMatchObject({ ended: 0 })
  })

  it('S20: 200: one other session ends alone; not the own one, an ended one, or another person’s', async () => {
    const [person, stranger] = [await steps.addPerson(), await steps.addPerson()]
    const [first, second, third] = [await steps.signIn(person.phone), await steps.signIn(person.phone), await steps.signIn(person.phone)]
    const foreign = await steps.signIn(stranger.phone)
    const end = async (token: string) => (await del(`/auth/sessions?session_id=${String(decodeJwt(token)['sid'])}`, third)).body
    expect(await end(first)).toMatchObject({ success: true, ended: 1 })
    for (const token of [first, third, foreign]) expect(await end(token)).toMatchObject({ success: true, ended: 0 })
    expect(await Promise.all([first, second, third, foreign].map(statusOf))).toEqual([401, 200, 200, 200])
    expect((await del('/auth/sessions?session_id=a/b', third)).status).toBe(400)
  })
})
