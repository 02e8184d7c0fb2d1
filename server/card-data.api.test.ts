import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { demoPhone } from '#testkit/demo-town.ts'
import { startApp, until, type App } from '#testkit/start-app.ts'

/** The card number entered on the provider's page: a published test card. */
const cardNumber = '4100280000001007'

let app: App
let client: pg.Client
const logged: string[] = []

beforeAll(async () => {
  const log = pino({ level: 'debug' }, new Writable({ write: (chunk: Buffer, _encoding, done) => (logged.push(chunk.toString()), done()) }))
  app = await startApp(inject('cluster'), { town: true, log })
  client = new pg.Client({ connectionString: app.databaseUrls.superuserUrl })
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await app.close()
})

/** Digits with another meaning: UUIDs and dates. */
const otherShapes = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b\d{4}-\d\d-\d\d\b/gi
/** Card numbers start with 2 to 6 and are delimited, in one run or in groups. */
const runs = /(?<![0-9A-Za-z_])[2-6]\d(?:[ -]?\d){11,17}(?![0-9A-Za-z_])/g

function isLuhn(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}

const cardNumbersIn = (text: string): string[] =>
  [...text.replaceAll(otherShapes, ' ').matchAll(runs)].map(([run]) => run.replaceAll(/[ -]/g, '')).filter(isLuhn)

/** Searches every column of every table as text, with bytea decoded. */
async function cardNumbersInDatabase(): Promise<string[]> {
  const { rows: columns } = await client.query<{ table: string; column: string; type: string }>(`
    select format('%I.%I', n.nspname, c.relname) as table, a.attname as column, a.atttypid::regtype::text as type
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname in ('public', 'pgboss') and a.attnum > 0 and not a.attisdropped`)
  const found: string[] = []
  for (const { table, column, type } of columns) {
    const { rows } = await client.query<{ value: string | Buffer | null }>(
      `select "${column}"${type === 'bytea' ? '' : '::text'} as value from ${table}`,
    )
    for (const { value } of rows)
      found.push(
        ...cardNumbersIn(Buffer.isBuffer(value) ? value.toString('utf8') : (value ?? '')).map((number) => `${table}.${column} ${number}`),
      )
  }
  expect(columns.length).toBeGreaterThan(200)
  return found
}

/** Searches the data directory, without the sandbox's files. */
function cardNumbersInFiles(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !join(entry.parentPath, entry.name).startsWith(join(directory, 'sandbox')))
    .flatMap((entry) => cardNumbersIn(readFileSync(join(entry.parentPath, entry.name), 'latin1')))
}

/** Enters the card on the provider's page and confirms at the bank. */
async function payByCard(page: string): Promise<void> {
  const submit = (path: string, fields: Record<string, string>) =>
    fetch(page + path, {
      method: 'POST',
      body: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  const atBank = await submit('/pay', {
    outcome: 'success',
    method: 'card',
    card_number: '4100 2800 0000 1007',
    card_expiry: '12/49',
    card_cvv: '123',
    card_name: 'Ananya Deshpande',
  })
  const payment = new URL(atBank.url).searchParams.get('payment') ?? ''
  const done = await submit('/bank', { payment, answer: 'otp', otp: '123456' })
  expect([atBank.status, done.status]).toEqual([200, 200])
}

it('the scan finds a card number in every place', async () => {
  for (const text of [cardNumber, '4100 2800 0000 1007', 'card 4100-2800-0000-1007.', `{"number":"${cardNumber}"}`, `\n${cardNumber},`])
    expect(cardNumbersIn(text)).toEqual([cardNumber])
  expect(cardNumbersIn('4100280000001008 0192f8b7-4480-7123-9333-410028000010 2026-11-20 2026-12-20')).toEqual([])
  await client.query('update users set last_name = $1 where phone = $2', [cardNumber, demoPhone(6)])
  await client.query(`insert into webhook_inbox (provider, event_id, received_at, event_type, body, next_attempt_at, processed_at, outcome)
    values ('razorpay', 'control', now(), 'x', '{"card":"4100 2800 0000 1007"}', now(), now(), 'ignored')`)
  expect(await cardNumbersInDatabase()).toEqual(
    expect.arrayContaining([`public.users.last_name ${cardNumber}`, `public.webhook_inbox.body ${cardNumber}`]),
  )
  await client.query("delete from webhook_inbox where event_id = 'control'")
  await client.query("update users set last_name = 'Sheikh' where phone = $1", [demoPhone(6)])
})

it('M19: after a payment by card no card number is in the database, the log or a file of ours', async () => {
  const token = await app.signIn(demoPhone(1))
  const { body } = await app.get('/portal/loans-summary', token)
  const lan = String((body['loans'] as { lan: string }[])[0]?.lan)
  const schedule = await app.get(`/portal/repayment-schedule?lead_id=${lan}`, token)
  const { next_emi_payment } = schedule.body['allowed_payments'] as { next_emi_payment: { amount: number } }
  const created = await app.post(
    '/portal/payment-link',
    {
      amount: next_emi_payment.amount,
      lead_id: lan,
      application_id: lan,
      purpose: 'PAY_EMI',
      callback_url: 'http://localhost:3000/payments/waiting-for-payment',
    },
    token,
  )
  await payByCard(String(created.body['redirect_url']))
  const link = String(created.body['payment_link_id'])
  await until(async () => (await app.get(`/portal/payment-link/status?payment_link_id=${link}`, token)).body['rps_updated'])
  const { rows } = await client.query<{ instrument: string }>("select instrument from provider_payments where method = 'card'")
  expect(rows.map(({ instrument }) => instrument)).toEqual([expect.stringMatching(/1007$/)])
  expect(await cardNumbersInDatabase()).toEqual([])
  expect(cardNumbersIn(logged.join(''))).toEqual([])
  expect(cardNumbersInFiles(app.context.config.dataDirectory)).toEqual([])
  expect(logged.join('')).not.toMatch(/card_cvv|12\/49/)
})
