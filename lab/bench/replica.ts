import { spawn, type ChildProcess } from 'node:child_process'
import { generateKeyPairSync, createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { assumeRole } from '#contract/permissions.ts'
import { signToken } from '#server/auth/token.ts'
import { freePort } from '#server/database/free-port.ts'
import { queryOnce } from '#testkit/query-once.ts'
import { askedFor, differentLoans, type Book } from './book.ts'

/** A serving process: the portal, or a floor. */
export type Serving = { port: number; pid: number; readyMs: number; stop(): Promise<void> }

/** A signed-in borrower, with the identifiers for requests. */
export type Asker = {
  borrowerId: string
  token: string
  /** The token of staff who act for the borrower. None in the book of different loans. */
  assumedToken: string
  /** The token of another staff member for each next asker. */
  staffToken: string
  lan: string
  openLinkId: string
  paidLinkId: string
}

const tokenKeyPem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const readyDeadlineMs = 30_000
/** Node options of the Dockerfile and the runbook. */
const runtimeOptions = ['--max-semi-space-size=16']

/**
 * One web process of the portal on a book with production settings, without any instrumentation.
 */
export async function startReplica(
  { appUrl }: Pick<Book, 'appUrl'>,
  more: readonly string[] = [],
  settings: Record<string, string> = {},
): Promise<Serving> {
  const directory = mkdtempSync(join(tmpdir(), 'kist-replica-'))
  const port = await freePort()
  const secret = (of: string) => createHash('sha256').update(of).digest('hex')
  const serving = await start([...runtimeOptions, ...more, join(import.meta.dirname, '../../server/main.ts')], port, '/health/ready', {
    NODE_ENV: 'production',
    KIST_ROLE: 'web',
    PORT: String(port),
    KIST_ORIGIN: 'https://loans.lender.in',
    KIST_TRUSTED_PROXIES: 'none',
    KIST_DATA_DIR: directory,
    KIST_STOP_DELAY_MS: '0',
    DATABASE_URL: appUrl,
    KIST_TOKEN_KEY_PEM: tokenKeyPem,
    KIST_CODE_KEY: secret('codes'),
    RAZORPAY_KEY_ID: 'rzp_live_abcdefghijkl12',
    RAZORPAY_KEY_SECRET: secret('provider'),
    RAZORPAY_WEBHOOK_SECRET: secret('events'),
    MSG91_AUTH_KEY: secret('messages'),
    MSG91_DLT_TEMPLATE_ID: '1207160000000000000',
    KIST_S3_BUCKET: 'documents',
    KIST_CLAMD: 'none',
    KIST_BRAND_DIR: join(import.meta.dirname, '../../brand/example'),
    ...settings,
  })
  return {
    ...serving,
    stop: async () => {
      await serving.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** Starts the floor of the reads, read-floor.ts. */
export async function startFloor({ ownerUrl }: Pick<Book, 'ownerUrl'>): Promise<Serving> {
  const port = await freePort()
  return start([join(import.meta.dirname, 'read-floor.ts')], port, '/', { PORT: String(port), DATABASE_URL: ownerUrl })
}

async function start(script: readonly string[], port: number, readyPath: string, environment: Record<string, string>): Promise<Serving> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, script, {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await ready(child, `http://127.0.0.1:${port}${readyPath}`)
  return {
    port,
    pid: child.pid ?? 0,
    readyMs: performance.now() - startedAt,
    stop: async () => {
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await gone
    },
  }
}

async function ready(child: ChildProcess, url: string): Promise<void> {
  const deadline = performance.now() + readyDeadlineMs
  while (performance.now() < deadline && child.exitCode === null) {
    const isReady = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return
    await delay(5)
  }
  child.kill('SIGKILL')
  throw new Error(`Nothing answers at ${url}`)
}

/** The peak memory of a process. */
export const peakMegabytes = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? Infinity) / 1_024

/** Signs in the chosen borrowers, in a random order that is the same every time. */
export async function signInAskers({ superuserUrl, borrowers }: Book): Promise<Asker[]> {
  const ids = askedFor(borrowers).map((n) => `01900000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`)
  const rows = await queryOnce<
    Omit<Asker, 'token' | 'assumedToken' | 'staffToken'> & { sessionId: string; staffId: string; assumedId: string }
  >(
    superuserUrl,
    `select borrower_id as "borrowerId", lan, own.session_id as "sessionId",
       assumed.user_id as "staffId", assumed.session_id as "assumedId",
       (select payment_link_id from payment_links where payment_links.borrower_id = loans.borrower_id and status = 'created') as "openLinkId",
       (select min(payment_link_id) from payment_links where payment_links.borrower_id = loans.borrower_id and status = 'paid') as "paidLinkId"
     from loans join sessions as own on own.user_id = borrower_id
     join sessions as assumed on assumed.session_id = md5('assumed' || borrower_id)::uuid where borrower_id = any ($1) order by md5(borrower_id::text)`,
    [ids],
  )
  const staff = await queryOnce<{ userId: string; sessionId: string }>(
    superuserUrl,
    `select user_id as "userId", session_id as "sessionId" from users join sessions using (user_id) where kind = 'staff' and assumed_user_id is null`,
  )
  const issuedAt = new Date(Math.floor(Date.now() / 1_000) * 1_000)
  const expiresAt = new Date(issuedAt.getTime() + 12 * 3_600_000)
  const sign = (userId: string, sessionId: string, roles: string[], assumedUserId: string | null = null) =>
    signToken([tokenKeyPem], { userId, sessionId, roles, assumedUserId, issuedAt, expiresAt })
  const staffTokens = await Promise.all(staff.map(({ userId, sessionId }) => sign(userId, sessionId, [assumeRole])))
  return Promise.all(
    rows.map(async ({ sessionId, staffId, assumedId, ...row }, index) => ({
      ...row,
      token: await sign(row.borrowerId, sessionId, []),
      assumedToken: borrowers === differentLoans ? '' : await sign(staffId, assumedId, [assumeRole], row.borrowerId),
      staffToken: staffTokens[index % staffTokens.length] ?? '',
    })),
  )
}

/**
 * Sets the last request of all sessions to later, once: after a minute a request would store its
 * time. Rows that were written just before a measurement would be slow to read.
 */
export async function keepAwake({ superuserUrl }: Book): Promise<void> {
  await queryOnce(
    superuserUrl,
    `update sessions set last_seen_at = now() + interval '20 minutes' where last_seen_at < now() + interval '5 minutes'
     and (user_id in (select borrower_id from loans where instalments > 24) or user_id in (select user_id from users where kind = 'staff'))`,
  )
}
