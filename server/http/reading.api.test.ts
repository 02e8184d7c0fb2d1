import { AsyncLocalStorage } from 'node:async_hooks'
import { decodeJwt } from 'jose'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { apiPrefix } from '#contract/endpoint.ts'
import { countBorrowers } from '#testkit/count-borrowers.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { startApp, type App } from '#testkit/start-app.ts'
import { testDistribution } from '#testkit/citus.ts'
import { verifyAudit } from '../audit/verify-audit.ts'
import { signInSteps } from '../auth/sign-in.testing.ts'
import type { Database } from '../database/connect.ts'

let app: App
let database: Database
let superuser: pg.Client
let staff: string
let staffId: string
let borrower: string
let borrowerId: string
let assumed: string
/** The number of people that the list of borrowers contains. */
let borrowersOfTown: number
/**
 * How staff read what is a borrower's, with its entry: in one round trip; with distributed tables
 * in a transaction, because each statement reaches the node of one person.
 */
const loggedRead: keyof Database = testDistribution.isDistributed ? 'asSystem' : 'readAsSession'

beforeAll(async () => {
  app = await startApp(inject('cluster'), { town: true })
  database = app.context.database
  superuser = new pg.Client({ connectionString: app.databaseUrls.superuserUrl })
  await superuser.connect()
  const steps = signInSteps(app)
  const added = await steps.addPerson({ kind: 'staff', roles: ['tech/assume'], permissions: ['user:assume'] })
  staffId = added.userId
  staff = await steps.signIn(added.phone)
  borrowersOfTown = await countBorrowers(database)
  borrower = await steps.signIn(demoPhone(1))
  borrowerId = String(decodeJwt(borrower).sub)
  assumed = String((await app.post('/auth/assume', { user_id_to_assume: borrowerId, reason: 'Ticket 7' }, staff)).body['token'])
})
afterEach(() => {
  app.context.database = database
})
afterAll(async () => {
  await superuser.end()
  await app.close()
})

it('a long read comes in brotli where the client takes it; a short one and what changes something never', async () => {
  const ask = async (path: string, accepted: string, body?: object, token = borrower) => {
    const headers = { authorization: `Bearer ${token}`, 'accept-encoding': accepted, 'content-type': 'application/json' }
    const answer = await fetch(app.url + apiPrefix + path, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) })
    return { encoding: answer.headers.get('content-encoding'), text: await answer.text() }
  }
  const { loans } = JSON.parse((await ask('/portal/loans-summary', 'identity')).text) as { loans: { lead_id: string }[] }
  const schedule = `/portal/repayment-schedule?lead_id=${loans[0]?.lead_id}`
  const [br, refused, gzip] = [await ask(schedule, 'gzip, br'), await ask(schedule, 'gzip, br;q=0'), await ask(schedule, 'gzip')]
  expect([br, refused, gzip].map(({ encoding }) => encoding)).toEqual(['br', null, null])
  expect(br.text.length).toBeGreaterThan(10_000)
  expect([refused.text, gzip.text]).toEqual([br.text, br.text])
  expect((await ask('/auth/permissions', 'br')).encoding).toBeNull()
  const steps = signInSteps(app)
  const { phone } = await steps.addPerson({ kind: 'staff', roles: ['tech/assume'], permissions: ['user:assume'] })
  const assuming = { user_id_to_assume: borrowerId, reason: 'Ticket 8' }
  const token = await ask('/auth/assume', 'br', assuming, await steps.signIn(phone))
  expect([token.encoding, JSON.parse(token.text)]).toEqual([null, expect.objectContaining({ token: expect.any(String) as string })])
})

/**
 * The work that a request gives to the database, without that of the background: a pipeline is one
 * round trip.
 */
async function databaseWorkOf<T>(request: () => Promise<T>): Promise<{ answer: T; work: string[] }> {
  const work: string[] = []
  const requests = new AsyncLocalStorage<boolean>()
  const { tracing } = app.context
  app.context.tracing = {
    ...tracing,
    span: (name, kind, attributes, run) => requests.run(name.startsWith('use case '), () => tracing.span(name, kind, attributes, run)),
  }
  app.context.database = new Proxy(database, {
    get: (target, name: keyof Database) => {
      if (requests.getStore()) work.push(name)
      return target[name]
    },
  })
  try {
    return { answer: await request(), work }
  } finally {
    Object.assign(app.context, { tracing, database })
  }
}

const entriesOf = (subjectId: string) =>
  database.asSystem((sql) => sql.selectFrom('access_log').selectAll().where('subject_id', '=', subjectId).orderBy('sequence').execute())
/** The entries that a request adds to a person's access log. */
async function entriesAddedBy(subjectId: string, request: () => Promise<unknown>) {
  const before = await entriesOf(subjectId)
  await request()
  return (await entriesOf(subjectId)).slice(before.length)
}

describe('a read of staff who act as a borrower', () => {
  it.each([
    ['/portal/loans-summary', 'loans_viewed', 'readLoansSummary'],
    ['/portal/staff-access', 'staff_access_viewed', 'readStaffAccess'],
    ['/portal/notices', 'staff_request', 'readNotices'],
    ['/auth/permissions', 'staff_request', 'readPermissions'],
  ])('L01: %s takes one round trip and writes its entry there', async (path, action, call) => {
    const before = await entriesOf(borrowerId)
    const { answer, work } = await databaseWorkOf(() => app.get(path, assumed))
    expect(answer.status).toBe(200)
    expect(work).toEqual([loggedRead])
    expect((await entriesOf(borrowerId)).slice(before.length)).toEqual([
      {
        subject_id: borrowerId,
        subject_name: null,
        entry_id: expect.any(String),
        at: expect.any(Date),
        actor_id: staffId,
        action,
        outcome: 'done',
        request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        session_id: decodeJwt(assumed)['sid'],
        remote_address: '127.0.0.1',
        user_agent: expect.any(String),
        detail: { call },
        sequence: BigInt(before.length + 1),
        hash: expect.any(Buffer),
      },
    ])
  })

  it('L01: answers 500 and no data if its entry cannot be written', async () => {
    await superuser.query('revoke insert on access_log from kist_app')
    try {
      for (const path of ['/portal/loans-summary', '/auth/permissions', '/auth/users/all']) {
        const { status, body } = await app.get(path, assumed)
        expect([path, status, body['code']]).toEqual([path, 500, 'Unexpected'])
        expect(Object.keys(body).sort()).toEqual(['code', 'detail', 'request_id', 'status', 'title', 'type'])
      }
      expect((await app.get('/portal/loans-summary', borrower)).status).toBe(200)
    } finally {
      await superuser.query('grant insert on access_log to kist_app')
    }
    expect((await app.get('/portal/loans-summary', assumed)).status).toBe(200)
  })

  it('L01: answers 500 and no data if the round trip returns no entry', async () => {
    const readAsSession: Database['readAsSession'] = async (session, reads) => {
      const read = await database.readAsSession(session, reads)
      return { ...read, rows: read.rows.map((rows) => rows.filter((row) => !('entry_id' in row))) }
    }
    for (const path of ['/portal/loans-summary', '/auth/users/all']) {
      const added = await entriesAddedBy(borrowerId, async () => {
        app.context.database = { ...database, readAsSession }
        const { status, body } = await app.get(path, assumed)
        app.context.database = database
        expect([path, status, body['code']]).toEqual(loggedRead === 'readAsSession' ? [path, 500, 'Unexpected'] : [path, 200, undefined])
      })
      // With distributed tables the entry is written before the data is read.
      expect(added).toHaveLength(1)
    }
  })

  it('L01: writes its entry also if the object is not found, or the request is malformed', async () => {
    const notFound = await entriesAddedBy(borrowerId, () => app.get('/portal/repayment-schedule?lead_id=no-such-loan', assumed))
    expect(notFound).toMatchObject([{ action: 'schedule_viewed', outcome: 'done' }])
    const malformed = await entriesAddedBy(borrowerId, () => app.get('/portal/repayment-schedule', assumed))
    expect(malformed).toMatchObject([{ action: 'schedule_viewed', outcome: 'done' }])
  })

  it('writes no entry of a read and reads nothing once the session has ended', async () => {
    const steps = signInSteps(app)
    const added = await steps.addPerson({ kind: 'staff', roles: ['tech/assume'], permissions: ['user:assume'] })
    const own = await steps.signIn(added.phone)
    const { body } = await app.post('/auth/assume', { user_id_to_assume: borrowerId }, own)
    await database.asSystem((sql) => sql.updateTable('users').set({ permissions: [] }).where('user_id', '=', added.userId).execute())
    const entries = await entriesAddedBy(borrowerId, async () => {
      expect((await app.get('/portal/loans-summary', String(body['token']))).status).toBe(401)
    })
    expect(entries).toMatchObject([{ action: 'assume_ended' }])
  })
})

describe('a denied read', () => {
  it('L01: is an entry of the caller, or of the borrower for whom staff act', async () => {
    const own = await entriesAddedBy(borrowerId, async () => {
      expect((await app.get('/auth/users/all', borrower)).status).toBe(403)
    })
    expect(own).toMatchObject([{ actor_id: borrowerId, action: 'access_refused', outcome: 'refused', detail: { call: 'listUsers' } }])
    const whileAssuming = await entriesAddedBy(borrowerId, async () => {
      expect((await app.get('/auth/sessions', assumed)).status).toBe(403)
    })
    expect(whileAssuming).toMatchObject([
      { actor_id: staffId, action: 'access_refused', outcome: 'refused', detail: { call: 'listSessions' } },
    ])
  })

  it('is no entry if the caller acts for nobody', async () => {
    const entries = await entriesAddedBy(staffId, async () => {
      expect((await app.get('/portal/notices', staff)).status).toBe(404)
    })
    expect(entries).toEqual([])
  })
})

describe('the list of borrowers', () => {
  it('L01: takes one round trip with its entry, and one for the loans of its borrowers', async () => {
    const { answer, work } = await databaseWorkOf(() => app.get('/auth/users/all?page=2&page_size=4', staff))
    expect([answer.status, answer.body['total_items'], (answer.body['users'] as unknown[]).length]).toEqual([200, borrowersOfTown, 4])
    expect(work).toEqual([loggedRead, 'readAsSystem'])
    expect((await entriesOf(staffId)).at(-1)).toMatchObject({
      action: 'users_searched',
      session_id: decodeJwt(staff)['sid'],
      detail: { search: null, search_hash: null, page: 2, page_size: 4, found: borrowersOfTown },
    })
  })

  it('L01: while acting for a borrower, is also an entry of that borrower’s', async () => {
    let work: string[] = []
    const entries = await entriesAddedBy(borrowerId, async () => {
      work = (await databaseWorkOf(() => app.get('/auth/users/all', assumed))).work
    })
    expect(work).toEqual([loggedRead, 'readAsSystem'])
    expect(entries).toMatchObject([{ action: 'staff_request', detail: { call: 'listUsers' } }])
    expect((await entriesOf(staffId)).at(-1)).toMatchObject({ action: 'users_searched', detail: { found: borrowersOfTown } })
  })

  it('the entries’ chains verify, whatever the browser calls itself', async () => {
    for (const agent of ['"found"', '",["found",1]', 'app.count'])
      await fetch(`${app.url}${apiPrefix}/auth/users/all?page_size=2`, {
        headers: { authorization: `Bearer ${assumed}`, 'user-agent': agent },
      })
    expect((await entriesOf(staffId)).at(-1)).toMatchObject({ user_agent: 'app.count', detail: { found: borrowersOfTown } })
    const { broken } = await verifyAudit(database, app.context.config.signIn.tokenKeys)
    expect(broken).toEqual([])
  })
})
