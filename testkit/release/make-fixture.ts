import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { apiPrefix } from '#contract/endpoint.ts'
import { freePort } from '#server/database/free-port.ts'
import { withClient } from '../query-once.ts'
import { writeRelease, type ReleaseFixture } from './release-fixture.ts'

/**
 * `node testkit/release/make-fixture.ts CHECKOUT`: starts the portal of a release, requests a
 * payment link as a borrower, and stores the data of database and provider. Run once per release,
 * with a checkout of it and its packages.
 */

const checkout = resolve(process.argv[2] ?? '')
if (!existsSync(join(checkout, 'tools/start.ts'))) throw new Error('Give the directory of a checkout of the release.')
const directory = mkdtempSync(join(tmpdir(), 'kist-release-'))
const ports = { PORT: String(await freePort()), SANDBOX_PORT: String(await freePort()) }
const url = `http://localhost:${ports.PORT}`
const child = spawn(process.execPath, [join(checkout, 'tools/start.ts')], {
  cwd: checkout,
  env: { PATH: process.env['PATH'], KIST_DATA_DIR: directory, ...ports },
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  await new Promise<void>((ready, failed) => {
    child.stdout.on('data', (chunk: Buffer) => chunk.includes('Kist is ready at') && ready())
    child.once('exit', () => failed(new Error('The release did not start.')))
  })
  const link = await openLink()
  writeRelease({ ...(await databaseAsItIs()), made_at: new Date().toISOString(), link, journal: read('sandbox/journal.ndjson') })
} finally {
  child.kill('SIGTERM')
  await new Promise((gone) => child.once('exit', gone))
  rmSync(directory, { recursive: true, force: true })
}

function read(name: string): string {
  return readFileSync(join(directory, name), 'utf8')
}

async function call(path: string, body?: unknown, token = ''): Promise<Record<string, unknown>> {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
  const response = await fetch(`${url}${apiPrefix}${path}`, {
    headers,
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as Record<string, unknown>
}

async function openLink(): Promise<ReleaseFixture['link']> {
  const phone = '+919000000001'
  const { session_token } = await call('/auth/login', { phone })
  while (!existsSync(join(directory, 'outbox.ndjson'))) await delay(50)
  const otp = /"code":"(\d{6})"/.exec(read('outbox.ndjson'))?.[1]
  const token = String((await call('/auth/verify', { session_token, otp }))['token'])
  const [loan] = (await call('/portal/loans-summary', undefined, token))['loans'] as { lan: string }[]
  const lan = loan?.lan ?? ''
  const schedule = await call(`/portal/repayment-schedule?lead_id=${lan}`, undefined, token)
  const { next_emi_payment } = schedule['allowed_payments'] as { next_emi_payment: { amount: number } }
  const { amount } = next_emi_payment
  const callback_url = `${url}/payments/waiting-for-payment`
  const made = await call('/portal/payment-link', { amount, purpose: 'PAY_EMI', lead_id: lan, application_id: lan, callback_url }, token)
  return { id: String(made['payment_link_id']), phone, lan, amount }
}

/** Every row of every table as PostgreSQL's JSON. */
async function databaseAsItIs(): Promise<Pick<ReleaseFixture, 'migrations' | 'tables'>> {
  const { superuser } = JSON.parse(read('postgres/credentials.json')) as { superuser: string }
  const port = read('postgres/data/postmaster.pid').split('\n')[3]
  return withClient(`postgres://postgres:${superuser}@127.0.0.1:${port}/kist`, async (client) => {
    const tables: ReleaseFixture['tables'] = {}
    const { rows: names } = await client.query<{ name: string }>(
      "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1",
    )
    for (const { name } of names) {
      const { rows } = await client.query<{ row: Record<string, unknown> }>(`select to_jsonb(t) as row from ${name} as t`)
      if (rows.length > 0) tables[name] = rows.map(({ row }) => row)
    }
    const migrations = (tables['schema_migrations'] ?? []).map((row) => String(row['name'])).sort()
    delete tables['schema_migrations']
    return { migrations, tables }
  })
}
