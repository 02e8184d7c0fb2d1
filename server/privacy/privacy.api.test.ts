import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kysely, PostgresDialect, type CompiledQuery } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { assumeRole } from '#contract/permissions.ts'
import { addPerson } from '#testkit/builders.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { propose, proposalOf } from '#testkit/operations-staff.ts'
import { startApp, type App } from '#testkit/start-app.ts'
import { erase, exportPerson, signOut } from '#cli/commands/person.ts'
import { signInSteps } from '../auth/sign-in.testing.ts'
import type { DB } from '../database/schema.generated.ts'
import { unnamedOperator } from '../staff/operator.ts'
import { addSearchWords } from '../staff/search-words-store.ts'
import { findPersonTables, readPersonRows } from './person-store.ts'
import { purgeExpired } from './purge-expired.ts'

const yearMs = 365.25 * 86_400_000
let app: App
let directory: string
beforeAll(async () => {
  app = await startApp(inject('cluster'), { town: true })
  directory = mkdtempSync(join(tmpdir(), 'kist-privacy-'))
})
afterAll(async () => {
  await expectInvariantsHold(app)
  await app.close()
  rmSync(directory, { recursive: true, force: true })
})

const operatorContext = (now = app.clock.now()) => ({
  database: app.database,
  databaseUrl: app.databaseUrls.appUrl,
  ownerUrl: app.databaseUrls.ownerUrl,
  clock: { now: () => now },
  operator: unnamedOperator(),
})
async function asOwner<T extends pg.QueryResultRow>(statement: string, values: unknown[] = []): Promise<T[]> {
  const client = new pg.Client({ connectionString: app.databaseUrls.superuserUrl })
  await client.connect()
  return (await client.query<T>(statement, values).finally(() => client.end())).rows
}
const person = async (phone: string) =>
  (
    await asOwner<Record<string, unknown>>('select users.* from users join user_phones using (user_id) where user_phones.phone = $1', [
      phone,
    ])
  )[0]
/** All tables as text. */
async function everything(): Promise<string> {
  const tables = await asOwner<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
  )
  const texts = await Promise.all(tables.map(({ name }) => asOwner(`select to_jsonb(one)::text as row from ${name} as one`)))
  return JSON.stringify(texts)
}

describe('an export', () => {
  it('has everything about the person, nothing of another, and no key', async () => {
    await app.signIn(demoPhone(1))
    const out = join(directory, 'export.json')
    expect(await exportPerson(operatorContext(), demoPhone(1), out)).toMatch(/^exported: \d+ rows of \d+ tables to /)
    const text = readFileSync(out, 'utf8')
    const { data } = JSON.parse(text) as { data: Record<string, Record<string, unknown>[]> }
    expect(Object.keys(data)).toEqual(
      expect.arrayContaining([
        'users',
        'user_phones',
        'loans',
        'disbursals',
        'ledger_transactions',
        'ledger_entries',
        'sessions',
        'access_log',
        'tranches',
      ]),
    )
    const [own] = data['users'] ?? []
    expect(own).toMatchObject({ first_name: 'Ananya', last_name: 'Deshpande', phone: demoPhone(1) })
    for (const rows of Object.values(data))
      for (const row of rows) expect([row['borrower_id'], row['user_id'], row['subject_id']]).toContain(own?.['user_id'])
    for (const key of ['code_hmac', 'token_hash', 'chain_hash', 'request_hash']) expect(text).not.toContain(key)
    for (const other of ['Ansari', 'Kulkarni', demoPhone(2)]) expect(text).not.toContain(other)
    expect(statSync(out).mode & 0o777).toBe(0o600)
    await expect(exportPerson(operatorContext(), demoPhone(1), out)).rejects.toThrow(/EEXIST/)
  })

  it('is in the access log before its file is written', async () => {
    const entries = () => asOwner("select 1 from access_log where action = 'person_exported'")
    const before = await entries()
    await expect(exportPerson(operatorContext(), demoPhone(1), join(directory, 'missing', 'export.json'))).rejects.toThrow(/ENOENT/)
    expect(await entries()).toHaveLength(before.length + 1)
  })

  it('has what staff did, but not their names', async () => {
    const [loan] = await asOwner<{ lan: string }>('select lan from loans join user_phones on user_id = borrower_id where phone = $1', [
      demoPhone(1),
    ])
    const newStaff = async (phone: string, firstName: string) => {
      const staff = {
        kind: 'staff',
        roles: [assumeRole],
        permissions: ['operations:read', 'operations:propose', 'operations:approve'],
      } as const
      const userId = await addPerson(app.database, app.clock.now(), {
        ...staff,
        permissions: [...staff.permissions],
        phone,
        firstName,
        lastName: 'Quillen',
      })
      return { userId, token: await app.signIn(phone) }
    }
    const [maker, checker] = [await newStaff('+917700099001', 'Zubin'), await newStaff('+917700099002', 'Wilma')]
    const asked = { kind: 'charge_add', lan: loan?.lan ?? '', input: { charge_type: 'BOUNCE_CHARGE', amount: 100 } }
    const { id } = proposalOf(await propose(app, maker.token, asked))
    const rejected = await app.post(`/operations/proposals/${id}/reject`, { reason: 'Not of this loan, as the bank says' }, checker.token)
    expect(rejected.status).toBe(200)
    const operator = { actorId: checker.userId, name: 'Wilma Quillen', reason: 'asked by letter' }
    const exports = ['first.json', 'second.json'].map((name) => join(directory, name))
    for (const out of exports) await exportPerson({ ...operatorContext(), operator }, demoPhone(1), out)
    const text = readFileSync(exports[1] ?? '', 'utf8')
    const { data } = JSON.parse(text) as { data: Record<string, Record<string, unknown>[]> }
    expect(data['operation_proposals']).toMatchObject([{ state: 'rejected', maker_id: maker.userId, checker_id: checker.userId }])
    expect(data['access_log']).toContainEqual(
      expect.objectContaining({ action: 'person_exported', actor_id: checker.userId, detail: { reason: 'asked by letter' } }),
    )
    for (const name of ['Zubin', 'Wilma', 'Quillen']) expect(text).not.toContain(name)
    const { user_id: own } = data['users']![0]!
    const withOrigin = data['access_log']!.filter((entry) => 'remote_address' in entry)
    expect(new Set(withOrigin.map(({ actor_id }) => actor_id))).toEqual(new Set([own]))
  })

  it('of staff has nothing of a borrower, and of a borrower no session of staff', async () => {
    const [staffPhone, borrowerPhone] = [demoPhone(9), demoPhone(1)]
    const staff = await app.signIn(staffPhone)
    expect((await app.get(`/auth/users/all?search=${borrowerPhone.slice(-10)}`, staff)).status).toBe(200)
    const borrower = await person(borrowerPhone)
    const asked = { user_id_to_assume: borrower?.['user_id'], reason: 'Payment: asked for a receipt' }
    const acting = String((await app.post('/auth/assume', asked, staff)).body['token'])
    const ending = { method: 'DELETE', headers: { authorization: `Bearer ${acting}` } }
    expect((await fetch(`${app.url}/api/v1/auth/assume`, ending)).status).toBe(200)
    const exported = async (phone: string) => {
      const out = join(directory, `${phone}-staff.json`)
      await exportPerson(operatorContext(), phone, out)
      return JSON.parse(readFileSync(out, 'utf8')) as { data: Record<string, Record<string, unknown>[]> }
    }
    const { data: ofStaff } = await exported(staffPhone)
    expect(ofStaff['staff_searches']).not.toHaveLength(0)
    for (const table of ['staff_searches', 'sessions', 'idempotent_requests'])
      for (const part of [borrowerPhone.slice(-10), String(borrower?.['user_id'])])
        expect(JSON.stringify(ofStaff[table] ?? [])).not.toContain(part)
    const { data: ofBorrower } = await exported(borrowerPhone)
    const ended = ofBorrower['access_log']!.filter(({ action }) => action === 'assume_ended')
    expect(ended.length).toBeGreaterThan(0)
    for (const { detail } of ended) expect(Object.keys(detail as object).filter((name) => name.includes('session'))).toEqual([])
  })
})

describe('the end of all sessions of a person', () => {
  it('acts at the next request, leaves no device known, tells a borrower, and is in the access log', async () => {
    const tokens = [await app.signIn(demoPhone(6)), await app.signIn(demoPhone(6))]
    const other = await app.signIn(demoPhone(7))
    const [user] = await asOwner<{ user_id: string }>('select user_id from user_phones where phone = $1', [demoPhone(6)])
    const userId = user?.user_id ?? ''
    const { sessionToken, code } = await signInSteps(app).receiveCode(demoPhone(6))
    expect(await signOut(operatorContext(), demoPhone(6))).toMatch(/^signed out: 2 sessions/)
    const verified = await app.post('/auth/verify', { session_token: sessionToken, otp: code })
    expect(verified.body['code']).toBe('AuthInvalidOTPError')
    for (const token of tokens) expect((await app.get('/portal/loans-summary', token)).body['code']).toBe('AuthSessionExpired')
    expect((await app.get('/portal/loans-summary', other)).status).toBe(200)
    expect(await asOwner('select 1 from sign_in_devices where user_id = $1', [userId])).toEqual([])
    const told = () => asOwner("select 1 from notices where borrower_id = $1 and kind = 'sessions_ended'", [userId])
    expect(await told()).toHaveLength(1)
    expect(await signOut(operatorContext(), demoPhone(6))).toMatch(/^signed out: 0 sessions/)
    expect(await told()).toHaveLength(1)
    const entries = await asOwner(
      "select detail ->> 'ended' as ended from access_log where action = 'person_signed_out' and subject_id = $1 order by sequence",
      [userId],
    )
    expect(entries).toEqual([{ ended: '2' }, { ended: '0' }])
    await expect(signOut(operatorContext(), '9999999999')).rejects.toThrow(/9999999999/)
  })
})

it('reads the rows of a person by an index, not by reading every row of the big tables', async () => {
  const compiled: CompiledQuery[] = []
  const pool = new pg.Pool({ connectionString: app.databaseUrls.superuserUrl, max: 1 })
  const kysely = new Kysely<DB>({ dialect: new PostgresDialect({ pool }), log: ({ query }) => void compiled.push(query) })
  try {
    // The tables of a test are so small that reading all rows costs less.
    await pool.query('set enable_seqscan = off')
    const tables = await kysely.transaction().execute((sql) => findPersonTables(sql))
    const userId = '00000000-0000-7000-8000-000000000001'
    const withoutIndex: string[] = []
    for (const table of tables) {
      await kysely.transaction().execute((sql) => readPersonRows(sql, table, userId))
      const query = compiled.findLast((one) => one.sql.includes('as one'))
      const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`explain ${query?.sql ?? ''}`, [...(query?.parameters ?? [])])
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      if (!new RegExp(`Index Cond: \\(${table.owner} = `).test(plan)) withoutIndex.push(table.table)
    }
    expect(tables.length).toBeGreaterThan(30)
    // Narrow tables with another key, of one row for each phone, code, loan or link.
    expect(withoutIndex).toEqual([
      'autopay_references',
      'document_codes',
      'loan_numbers',
      'payment_references',
      'sign_in_codes',
      'user_phones',
    ])
  } finally {
    await kysely.destroy()
  }
})

describe('an erasure', () => {
  it('erases nothing while a loan is not closed, or an application is being decided', async () => {
    await expect(erase(operatorContext(), demoPhone(2), app.context.storage)).rejects.toThrow(
      /^Nothing was erased: loan KST-\S+ is not closed$/,
    )
    await expect(erase(operatorContext(), demoPhone(3), app.context.storage)).rejects.toThrow(
      'Nothing was erased: an application is being decided',
    )
    await expect(erase(operatorContext(), demoPhone(9), app.context.storage)).rejects.toThrow(/is staff/)
    await expect(erase(operatorContext(), '+919000000099', app.context.storage)).rejects.toThrow('Nobody has the phone +919000000099')
    expect(await person(demoPhone(2))).toMatchObject({ first_name: 'Bilal', email: expect.stringContaining('@') })
  })

  it('keeps what the law requires, and erases the rest, while a closed loan is retained', async () => {
    const token = await app.signIn(demoPhone(4))
    const email = 'dev.tagore-shyama@example.in'
    await asOwner('update users set email = $1 from user_phones as own where own.user_id = users.user_id and own.phone = $2', [
      email,
      demoPhone(4),
    ])
    await app.database.asSystem((sql) => addSearchWords(sql, [{ firstName: 'Dev', lastName: 'Mukherjee', email }]))
    const words = () =>
      asOwner("select word from user_search_words where word in ('dev', 'mukherjee', 'tagore', 'shyama', 'example') order by word")
    expect(await words()).toHaveLength(5)
    expect(await erase(operatorContext(), demoPhone(4), app.context.storage)).toMatch(
      /^erased: e-mail, notices .* 1 loans are kept until 20\d\d-\d\d-\d\d$/,
    )
    expect(await person(demoPhone(4))).toMatchObject({ first_name: 'Dev', last_name: 'Mukherjee', pan: expect.any(String), email: null })
    // Those of the name stay, and that which other addresses contain.
    expect(await words()).toEqual([{ word: 'dev' }, { word: 'example' }, { word: 'mukherjee' }])
    expect((await app.get('/portal/loans-summary', token)).status).toBe(401)
    expect(
      await asOwner(
        `select 1 from sessions join user_phones using (user_id)
         where phone = $1 and (remote_address is not null or user_agent is not null or device_hash is not null)`,
        [demoPhone(4)],
      ),
    ).toEqual([])
    expect(await erase(operatorContext(), demoPhone(4), app.context.storage)).toMatch(/^erased: e-mail/)
  })

  it('leaves no name, phone or PAN anywhere after the retention, and every rupee', async () => {
    const before = await asOwner<{ sum: string }>('select sum(debit_paise)::text as sum from ledger_entries')
    expect(await everything()).toMatch(/mukherjee/i)
    expect(await erase(operatorContext(new Date(app.clock.now().getTime() + 9 * yearMs)), demoPhone(4), app.context.storage)).toBe(
      'erased: name, phone, PAN, e-mail, notices and sessions; 1 loans stay without a name',
    )
    const left = await everything()
    for (const trace of [/mukherjee/i, demoPhone(4), /dev\.mukherjee/i]) expect(left).not.toMatch(trace)
    expect(await asOwner('select sum(debit_paise)::text as sum from ledger_entries')).toEqual(before)
    expect((await app.post('/auth/login', { phone: demoPhone(4) })).status).toBe(404)
  })

  it('erases a person without a loan at once', async () => {
    const phone = '+919812300001'
    const userId = await addPerson(app.database, app.clock.now(), {
      phone,
      firstName: 'Zarinabanu',
      lastName: 'Qureshi',
      email: 'zarinabanu@example.in',
      pan: 'QQQPQ1234Q',
    })
    expect(await erase(operatorContext(), phone, app.context.storage)).toMatch(/^erased: name, phone, PAN/)
    const left = await everything()
    for (const trace of [/zarinabanu/i, phone, 'QQQPQ1234Q']) expect(left).not.toMatch(trace)
    expect(await asOwner('select action from access_log where subject_id = $1', [userId])).toEqual([{ action: 'person_erased' }])
    // Another person has the same family name and is still found.
    expect(left).toMatch(/qureshi/i)
  })
})

it('of a last name of one letter leaves the searches for other people', async () => {
  const phone = '+919812300002'
  await addPerson(app.database, app.clock.now(), { phone, firstName: 'Sureshvaran', lastName: 'K' })
  const staff = await app.signIn(demoPhone(9))
  await asOwner('delete from staff_searches')
  for (const search of ['kulkarni', 'sureshvaran', 'k']) expect((await app.get(`/auth/users/all?search=${search}`, staff)).status).toBe(200)
  await erase(operatorContext(), phone, app.context.storage)
  expect(await asOwner('select words from staff_searches')).toEqual([{ words: ['kulkarni'] }])
})

it('retention deletes message counters of past days, and keeps the current ones', async () => {
  const now = app.clock.now().getTime()
  const [old, running] = [3, 0].map((days) => new Date(now - days * 86_400_000))
  await asOwner(`delete from sign_in_budgets`)
  for (const at of [old, running])
    for (const period of ['minute', 'day'])
      await asOwner(`insert into sign_in_budgets (period, starts_at, sends) values ($1, $2, 7)`, [period, at])
  await purgeExpired(app.context)
  expect(await asOwner('select period, starts_at from sign_in_budgets order by period')).toEqual([
    { period: 'day', starts_at: running },
    { period: 'minute', starts_at: running },
  ])
})

it('retention deletes expired rows and nothing else', async () => {
  const counts = async () =>
    (
      await asOwner<
        Record<string, string>
      >(`select (select count(*) from sign_in_codes) as codes, (select count(*) from sessions) as sessions,
      (select count(*) from webhook_inbox) as events, (select count(*) from access_log) as log, (select count(*) from ledger_transactions) as ledger`)
    )[0]
  const [old, recent] = [400, 300].map((days) => new Date(app.clock.now().getTime() - days * 86_400_000))
  for (const [id, at, processed] of [
    ['old', old, old],
    ['recent', recent, recent],
    ['open', old, null],
  ])
    await asOwner(
      `insert into webhook_inbox (provider, event_id, received_at, event_type, body, next_attempt_at, processed_at, outcome) values ('razorpay', $1, $2, 'x', '', now() + interval '9 days', $3, $4)`,
      [id, at, processed, processed && 'ignored'],
    )
  await asOwner(
    `insert into sessions (user_id, session_id, created_at, expires_at, last_seen_at) select user_id, gen_random_uuid(), $1, $1, $1 from users`,
    [old],
  )
  const before = await counts()
  const people = Number((await asOwner<{ count: string }>('select count(*) from users'))[0]?.['count'])
  await purgeExpired(app.context)
  const after = await counts()
  expect(Number(before?.['sessions']) - Number(after?.['sessions'])).toBe(people)
  expect([Number(before?.['events']) - Number(after?.['events']), after?.['codes'], after?.['log'], after?.['ledger']]).toEqual([
    1,
    before?.['codes'],
    before?.['log'],
    before?.['ledger'],
  ])
  expect(await purgeExpired(app.context)).toBe(0)
  await asOwner(`delete from webhook_inbox where event_id = 'open'`)
})
