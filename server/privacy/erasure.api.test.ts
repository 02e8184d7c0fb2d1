import { createHmac } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { apiPrefix } from '#contract/endpoint.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { approve, proposalOf, publishPaper } from '#testkit/operations-staff.ts'
import { startApp, until, type App } from '#testkit/start-app.ts'
import { erase } from '#cli/commands/person.ts'
import { pdf } from '../documents/files.testing.ts'
import { addReview } from '../payments/review-store.ts'
import { unnamedOperator } from '../staff/operator.ts'
import { addSearchWords } from '../staff/search-words-store.ts'

/**
 * Proves that an erasure leaves nothing: searches the whole database and bucket for the person's
 * phone, e-mail, PAN and names. The file has its own database, and its person uses everything that
 * stores personal data.
 */

const yearMs = 365.25 * 86_400_000
const person = { number: 4, first: 'Dev', last: 'Mukherjee', email: 'rabi.thakurdas@example.in', lan: 'KST-22-000045' }
let app: App
let client: pg.Client
let pan: string

beforeAll(async () => {
  app = await startApp(inject('cluster'), { town: true })
  client = new pg.Client({ connectionString: app.databaseUrls.superuserUrl })
  await client.connect()
  // Citus then passes SET LOCAL on to its nodes; PostgreSQL alone ignores it.
  await client.query("set citus.propagate_set_commands = 'local'")
  const { rows } = await client.query<{ pan: string }>(
    'select pan from users join user_phones using (user_id) where user_phones.phone = $1',
    [demoPhone(person.number)],
  )
  pan = rows[0]?.pan ?? ''
  // An address that consists of other words than the name.
  await client.query('update users set email = $1 where pan = $2', [person.email, pan])
  await app.database.asSystem((sql) => addSearchWords(sql, [{ firstName: person.first, lastName: person.last, email: person.email }]))
})
afterAll(async () => {
  await expectInvariantsHold(app)
  await client.end()
  await app.close()
})

/**
 * The searched values. The first name must be a whole word, because its three letters are part of
 * many words.
 */
const patterns = (): string[] => [
  demoPhone(person.number).slice(-10),
  person.email.replaceAll('.', String.raw`\.`),
  'thakurdas',
  pan,
  String.raw`\m${person.first}\M`,
  person.last,
]
/** The same patterns for JavaScript. */
const expressions = () => patterns().map((pattern) => new RegExp(pattern.replaceAll(/\\[mM]/g, String.raw`\b`), 'i'))

/** All columns that contain one of the person's values, as `table.column`. */
async function columnsWithPerson(): Promise<string[]> {
  const { rows: columns } = await client.query<{ table: string; column: string; bytes: boolean }>(`
    select format('%I.%I', columns.table_schema, columns.table_name) as "table", columns.column_name as "column", data_type = 'bytea' as bytes
    from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where columns.table_schema not in ('pg_catalog', 'information_schema') and tables.table_type in ('BASE TABLE', 'VIEW')
      and (data_type in ('bytea', 'json', 'jsonb', 'ARRAY', 'text', 'name') or data_type like '%char%')
    order by 1, 2`)
  expect(columns.length).toBeGreaterThan(150)
  const found: string[] = []
  // The view borrower_search returns rows only to system access.
  await client.query("begin; set local app.system = 'on'")
  for (const { table, column, bytes } of columns) {
    const name = pg.escapeIdentifier(column)
    const text = bytes ? `encode(${name}, 'escape')` : `${name}::text`
    // Hashes are random bytes, which may contain a name as short as these.
    const sought = bytes ? patterns().filter((pattern) => !pattern.startsWith('\\m')) : patterns()
    const { rows } = await client.query(`select 1 from ${table} where ${text} ~* any ($1) limit 1`, [sought])
    if (rows.length > 0) found.push(`${table.replace('public.', '')}.${column}`)
  }
  await client.query('commit')
  return found
}

/**
 * Objects that contain one of the person's values, and all in the person's folder, because PDFs are
 * compressed.
 */
async function objectsOfPerson(userId: string): Promise<string[]> {
  const { storage } = app.context
  const found: string[] = []
  for (const prefix of ['documents/', 'generated/', 'quarantine/'])
    for await (const { key, sizeBytes } of storage.list(prefix)) {
      const bytes = (await buffer(await storage.read(key, { first: 0, last: sizeBytes - 1 }))).toString('latin1')
      if (key.includes(userId) || expressions().some((expression) => expression.test(bytes))) found.push(key)
    }
  return found
}

async function sendEvent(id: string, payload: object): Promise<void> {
  const body = JSON.stringify({ event: 'payment_link.paid', payload })
  const [secret = ''] = app.context.config.razorpay.webhookSecrets
  const { status } = await fetch(`${app.url}${apiPrefix}/webhooks/razorpay`, {
    method: 'POST',
    headers: { 'x-razorpay-signature': createHmac('sha256', secret).update(body).digest('hex'), 'x-razorpay-event-id': id },
    body,
  })
  expect(status).toBe(200)
}

/** Resolves a difference of the person, in words that name them; another resolution is rejected. */
async function settleReviews(userId: string): Promise<void> {
  const [maker, checker] = [await app.signIn(demoPhone(12)), await app.signIn(demoPhone(13))]
  const name = `${person.first} ${person.last}`
  for (const about of ['pay_first', 'pay_second']) {
    const now = app.clock.now()
    await app.database.asSystem((sql) => addReview(sql, { borrowerId: userId, kind: 'dispute', about, detail: {} }, now))
    const { rows } = await client.query<{ review_id: string }>('select review_id from payment_reviews where about = $1', [
      `dispute:${about}`,
    ])
    const asked = { kind: 'review_resolve', input: { ...rows[0], resolution: `The bank of ${name} closed the dispute.` } }
    const preview = await app.post('/operations/previews', asked, maker)
    expect(preview.body).toMatchObject({ lines: [] })
    const body = { ...asked, reason: `${name} sent the letter of the bank.`, preview_hash: preview.body['preview_hash'] }
    const proposal = proposalOf(await app.post('/operations/proposals', body, maker, { 'idempotency-key': about }))
    const closed =
      about === 'pay_first'
        ? await approve(app, checker, proposal)
        : await app.post(`/operations/proposals/${proposal.id}/reject`, { reason: `${name} sent another letter` }, checker)
    expect(closed.status).toBe(200)
  }
}

/**
 * Stores the person's values everywhere the portal can.
 *
 * @returns the person's id.
 */
async function useEverything(): Promise<string> {
  const phone = demoPhone(person.number)
  const own = await app.signIn(phone)
  // Requests one more code that is never used.
  await app.clock.advance(60_000)
  expect((await app.post('/auth/login', { phone })).status).toBe(200)
  for (const type of ['statement_of_account', 'loan_closure_certificate'])
    expect((await app.get(`/portal/generate-document?lead_id=${person.lan}&doc_type=${type}`, own)).status).toBe(200)
  const { rows } = await client.query<{ user_id: string; reference: string }>(
    'select user_id, reference from user_phones join payment_references on borrower_id = user_id where phone = $1 limit 1',
    [phone],
  )
  const { user_id: userId = '', reference = '' } = rows[0] ?? {}
  expect(reference).not.toBe('')
  const staff = await app.signIn(demoPhone(9))
  for (const search of [person.last, 'mukerjee', phone, pan, person.email, 'dev muk', '0000004'])
    expect((await app.get(`/auth/users/all?${new URLSearchParams({ search }).toString()}`, staff)).status).toBe(200)
  await app.get(`/auth/users/${userId}`, staff)
  const reason = `${person.first} ${person.last} called from ${phone}, 090000-00004, pays by asha@okaxis, PAN ${pan.toLowerCase()}, ${person.email}`
  expect((await app.post('/auth/assume', { user_id_to_assume: userId, reason }, staff)).status).toBe(200)
  await settleReviews(userId)
  const paper = { lan: person.lan, paper: 'agreement', filename: `Agreement with ${person.first} ${person.last}.pdf`, bytes: pdf() }
  await publishPaper(app, { maker: demoPhone(12), checker: demoPhone(13) }, paper)
  await sendEvent('by-reference', { payment_link: { entity: { reference_id: reference, customer: { name: person.last } } } })
  await sendEvent('by-contact', { payment: { entity: { id: 'pay_of_nobody', contact: phone, email: person.email } } })
  await until(async () => (await client.query('select 1 from webhook_inbox where processed_at is null')).rowCount === 0)
  return userId
}

it('leaves no phone, e-mail address, PAN or name in any column of any table, nor in the bucket', async () => {
  expect(pan).toMatch(/^[A-Z]{5}\d{4}[A-Z]$/)
  const userId = await useEverything()
  expect(await columnsWithPerson()).toEqual(
    expect.arrayContaining([
      'borrower_search.search_text',
      'idempotent_requests.answer',
      'loan_papers.filename',
      'operation_proposals.preview',
      'sign_in_codes.phone',
      'staff_searches.words',
      'user_phones.phone',
      'user_search_words.word',
      'users.email',
      'users.last_name',
      'users.pan',
      'users.phone',
      'users.search_text',
      'webhook_inbox.body',
    ]),
  )
  expect(await objectsOfPerson(userId)).not.toEqual([])
  const ledger = async () => (await client.query<{ sum: string }>('select sum(debit_paise)::text as sum from ledger_entries')).rows
  const before = await ledger()

  const operatorContext = {
    ownerUrl: app.databaseUrls.ownerUrl,
    clock: { now: () => new Date(app.clock.now().getTime() + 9 * yearMs) },
    operator: unnamedOperator(),
  }
  // The data is erased when the store fails: the files that it can remove are removed.
  const kept: string[] = []
  const { storage } = app.context
  const failing = {
    remove: (key: string) => (kept.length === 0 ? Promise.reject(new Error(`away ${kept.push(key)}`)) : storage.remove(key)),
  }
  await expect(erase(operatorContext, demoPhone(person.number), failing)).rejects.toThrow(
    /^erased: name, phone, PAN, e-mail.*; files that could not be removed: 1 \(away 1\)\. The storage sweep removes them/,
  )
  for (const key of kept) {
    expect(await storage.find(key)).not.toBeNull()
    await storage.remove(key)
  }

  expect(await columnsWithPerson()).toEqual([])
  expect(await objectsOfPerson(userId)).toEqual([])
  expect(await ledger()).toEqual(before)
})

it('keeps no phone, e-mail address, PAN or name of the borrower in the reason that staff gave', async () => {
  const { rows } = await client.query<{ reason: string }>(
    "select detail ->> 'reason' as reason from access_log where action = 'assume_started'",
  )
  expect(rows).toEqual([{ reason: '[name] [name] called from [phone], [phone], pays by [UPI], PAN [PAN], [e-mail]' }])
})
