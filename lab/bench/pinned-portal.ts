import { execFileSync, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { addMonths, dayInIndia } from '#domain/calendar.ts'
import { startSandbox } from '#sandbox/sandbox.ts'
import { readConfig } from '#server/config/read-config.ts'
import { insertSession } from '#server/auth/session-store.ts'
import { signToken } from '#server/auth/token.ts'
import { connect } from '#server/database/connect.ts'
import { startEmbedded } from '#server/database/embedded.ts'
import { migrate } from '#server/migrate.ts'
import { addLoan, addPerson, addProduct, educationLoan, nextFifth } from '#testkit/builders.ts'
import { freePort } from '#server/database/free-port.ts'
import { uuidv7 } from 'uuidv7'
import { acceptedByBrowsers } from './measure.ts'

/** One kind of request of the load, with the expected status when it is accepted. */
export type Ask = {
  loadClass: 'critical' | 'normal'
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body: string | null
  expected: number
}

export type PinnedPortal = {
  port: number
  /** The next request of the mix, for each borrower in turn. */
  nextAsk(): Ask
  close(): Promise<void>
}

const borrowers = 60
/** Shares of the mix in percent, as on a due date. */
const mix = { summary: 38, schedule: 28, ongoing: 5, completed: 17, status: 6, webhook: 3, verify: 3 }

/**
 * Server and database on one processor, this process on the other. Durable, as in production.
 */
export async function startPinnedPortal(): Promise<PinnedPortal> {
  const directory = mkdtempSync(join(tmpdir(), 'kist-overload-'))
  const postgres = await startEmbedded({ directory: join(directory, 'postgres'), durable: true })
  await migrate(postgres.ownerUrl)
  pin(0, Number(readFileSync(join(directory, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0]))
  pin(1, process.pid)
  const port = await freePort()
  const env = {
    ...process.env,
    NODE_ENV: 'test',
    PORT: String(port),
    DATABASE_URL: postgres.appUrl,
    DATABASE_OWNER_URL: postgres.ownerUrl,
    KIST_DEMO: 'true',
    KIST_DATA_DIR: directory,
    KIST_LIMITS: 'relaxed',
    KIST_LOG_LEVEL: 'error',
    KIST_STATUS_FRESH_MS: '60000',
    // Connections as of a balancer: many from one address, kept for long.
    KIST_TRUSTED_PROXIES: '127.0.0.1',
  }
  const config = readConfig(env)
  const { keyId, keySecret, webhookSecrets } = config.razorpay
  const [webhookSecret = ''] = webhookSecrets
  const webhookUrl = `http://127.0.0.1:${port}/api/v1/webhooks/razorpay`
  const sandbox = await startSandbox({ dataDir: join(directory, 'sandbox'), port: 0, keyId, keySecret, webhookSecret, webhookUrl })
  const main = join(import.meta.dirname, '../../server/main.ts')
  const child = spawn('taskset', ['-c', '0', process.execPath, main], {
    env: { ...env, RAZORPAY_BASE_URL: sandbox.url },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await answering(port)
  const people = await addPeople(postgres.appUrl, config.signIn.tokenKeys, port)
  const asks = asksOf(people, webhookSecret)
  let turn = 0
  return {
    port,
    nextAsk: () => {
      turn += 1
      const ask = asks[turn % asks.length] as Ask
      // Each event has its own id, because an id is processed once.
      return ask.path.includes('webhooks') ? { ...ask, headers: { ...ask.headers, 'x-razorpay-event-id': `event-${turn}` } } : ask
    },
    close: async () => {
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await gone
      await sandbox.close()
      await postgres.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

const pin = (processor: number, pid: number) => execFileSync('taskset', ['-a', '-cp', String(processor), String(pid)], { stdio: 'ignore' })

async function answering(port: number): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    const isReady = await fetch(`http://127.0.0.1:${port}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return
    await delay(100)
  }
  throw new Error('The portal did not start')
}

type PersonOfLoad = { token: string; lan: string; linkId: string }

async function addPeople(databaseUrl: string, tokenKeys: readonly string[], port: number): Promise<PersonOfLoad[]> {
  const database = connect(databaseUrl, { connectionsMax: 4, connectTimeoutMs: 5_000, statementTimeoutMs: 60_000 })
  const now = new Date()
  const issuedAt = new Date(Math.floor(now.getTime() / 1_000) * 1_000)
  const expiresAt = new Date(issuedAt.getTime() + 3_600_000)
  const firstDueDate = nextFifth(dayInIndia(now))
  await addProduct(database, now, 'education', educationLoan)
  const people: PersonOfLoad[] = []
  for (let number = 0; number < borrowers; number += 1) {
    const suffix = String(number).padStart(4, '0')
    const userId = await addPerson(database, now, { phone: `+91987655${suffix}`, firstName: 'Nisha', lastName: 'Verma' })
    const { lan } = await addLoan(database, now, userId, {
      lan: `KST-40-${suffix}`,
      title: 'B.Sc. in physics',
      sanctionedRupees: 120_000,
      disbursals: [{ date: addMonths(firstDueDate, -1, 5), rupees: 120_000 }],
      annualRatePercent: 12,
      instalments: 24,
      firstDueDate,
    })
    const sessionId = uuidv7()
    await database.asSystem((sql) =>
      insertSession(sql, { userId, sessionId, createdAt: issuedAt, expiresAt, remoteAddress: '127.0.0.1', userAgent: 'bench' }),
    )
    const token = await signToken(tokenKeys, { userId, sessionId, roles: [], assumedUserId: null, issuedAt, expiresAt })
    people.push({ token, lan, linkId: await askForLink(port, token, lan) })
  }
  await database.close()
  return people
}

async function askForLink(port: number, token: string, lan: string): Promise<string> {
  const api = async (path: string, body?: object) => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
    return (await response.json()) as Record<string, never>
  }
  const { allowed_payments } = await api(`/portal/repayment-schedule?lead_id=${lan}`)
  const amount = allowed_payments?.['next_emi_payment']['amount']
  const callback_url = `http://localhost:${port}/payments/waiting-for-payment`
  const order = { amount, lead_id: lan, application_id: lan, purpose: 'PAY_EMI', callback_url }
  const link = await api('/portal/payment-link?use_razorpay=true', order)
  if (!link['payment_link_id']) throw new Error(`No link for the load: ${JSON.stringify(link)}`)
  return String(link['payment_link_id'])
}

/** The mix with every kind evenly distributed. */
function asksOf(people: readonly PersonOfLoad[], webhookSecret: string): Ask[] {
  const event = JSON.stringify({ event: 'payment_link.paid', payload: { payment_link: { entity: { reference_id: 'of nobody' } } } })
  const signature = createHmac('sha256', webhookSecret).update(event).digest('hex')
  const json = { 'content-type': 'application/json' }
  const get = (path: string, token: string, loadClass: Ask['loadClass'] = 'normal'): Ask => ({
    loadClass,
    method: 'GET',
    path: `/api/v1/portal/${path}`,
    headers: { authorization: `Bearer ${token}`, 'accept-encoding': acceptedByBrowsers },
    body: null,
    expected: 200,
  })
  const kinds: Record<keyof typeof mix, (person: PersonOfLoad) => Ask> = {
    summary: ({ token }) => get('loans-summary', token),
    schedule: ({ token, lan }) => get(`repayment-schedule?lead_id=${lan}`, token),
    completed: ({ token, lan }) => get(`completed-payments?application_id=${lan}`, token),
    ongoing: ({ token, lan }) => get(`ongoing-payment?application_id=${lan}`, token),
    status: ({ token, linkId }) => get(`payment-link/status?payment_link_id=${linkId}`, token, 'critical'),
    webhook: () => ({
      loadClass: 'critical',
      method: 'POST',
      path: '/api/v1/webhooks/razorpay',
      headers: { ...json, 'x-razorpay-signature': signature },
      body: event,
      expected: 200,
    }),
    verify: () => ({
      loadClass: 'critical',
      method: 'POST',
      path: '/api/v1/auth/verify',
      headers: json,
      body: '{"session_token":"nobody knows this one","otp":"000000"}',
      expected: 400,
    }),
  }
  const places = (Object.entries(mix) as [keyof typeof mix, number][]).flatMap(([kind, share]) =>
    Array.from({ length: share }, (_, index) => ({ kind, at: (index + 0.5) / share })),
  )
  places.sort((one, other) => one.at - other.at)
  return Array.from({ length: borrowers * places.length }, (_, index) => {
    const { kind } = places[index % places.length] as (typeof places)[number]
    return kinds[kind](people[index % people.length] as PersonOfLoad)
  })
}
