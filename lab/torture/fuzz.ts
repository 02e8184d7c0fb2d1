import fc from 'fast-check'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import * as z from 'zod/mini'
import { apiPrefix, type Endpoint } from '#contract/endpoint.ts'
import { problem } from '#contract/problem.ts'
import * as contract from '#contract/index.ts'
import { openApiDocument } from '#server/http/openapi.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { mintToken } from '#testkit/mint-token.ts'
import { startApp, type App } from '#testkit/start-app.ts'
import { startTestCluster } from '#testkit/test-database.ts'
import { casesOf, type FuzzCase, type Operation } from './fuzz-cases.ts'
import type { TortureSuite } from './suite.ts'

const slowMs = 2_000
const atOnce = 16
const endsSessions: ReadonlySet<string> = new Set(['logout', 'endOtherSessions', 'assume', 'endAssume'])

type Counts = { cases: number; errors: number; slow: number; offContract: number; leaks: number }
type Target = { name: keyof typeof contract; method: string; path: string; operation: Operation }
type Tokens = Record<FuzzCase['caller'], string | undefined>

/**
 * `cases` valid and invalid requests of every call of the OpenAPI document. None may answer 5xx,
 * take longer than two seconds, give an answer outside of the contract, or reveal internals or data
 * of another borrower. No sent value may be in the log.
 */
export const fuzz: TortureSuite = {
  name: 'fuzz',
  run: async ({ seed, cases }) => {
    const cluster = await startTestCluster()
    const logged: string[] = []
    const log = pino(
      { level: 'info' },
      new Writable({ write: (chunk: Buffer, _encoding, done) => (logged.push(chunk.toString()), done()) }),
    )
    const app = await startApp(cluster, {
      town: true,
      log,
      settings: { KIST_SWEEP_INTERVAL_MS: '600000', KIST_SMS_PER_DAY_MAX: '100000000' },
    })
    try {
      const counts: Counts = { cases: 0, errors: 0, slow: 0, offContract: 0, leaks: 0 }
      const findings: string[] = []
      const town = await knownOf(app)
      for (const target of targets()) {
        const requests = fc.sample(casesOf(target.operation, town.known), { numRuns: cases, seed })
        let tokens = await town.tokens()
        for (let first = 0; first < requests.length; first += atOnce) {
          if (endsSessions.has(target.name)) tokens = await town.tokens()
          await Promise.all(
            requests
              .slice(first, first + atOnce)
              .map((one, index) =>
                check(app, target, one, tokens, town, counts, (what) => findings.push(`${target.name} case ${first + index}: ${what}`)),
              ),
          )
        }
        process.stderr.write(`fuzz: ${counts.cases} cases, ${target.name}          \r`)
      }
      const inLog = logged.filter((line) => town.canaries.some((canary) => line.includes(canary)))
      counts.leaks += inLog.length
      findings.push(...inLog.map((line) => `logged: ${line.slice(0, 300)}`))
      const { errors, slow, offContract, leaks } = counts
      return {
        line: `fuzz: cases ${counts.cases}, 5xx ${errors}, slow ${slow}, off-contract ${offContract}, leaks ${leaks}`,
        failed: errors + slow + offContract + leaks > 0,
        detail: findings,
      }
    } finally {
      await app.close()
      await cluster.stop()
    }
  },
}

function targets(): Target[] {
  const { paths } = openApiDocument() as { paths: Record<string, Record<string, Operation>> }
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      name: operation.operationId as Target['name'],
      method: method.toUpperCase(),
      path,
      operation,
    })),
  )
}

type Town = {
  /** Real values by the name of the field. */
  known: Record<string, string[]>
  tokens(): Promise<Tokens>
  /** Values of other people, which no answer and no log line may contain. */
  canaries: string[]
}

async function knownOf(app: App): Promise<Town> {
  const users = await app.database.asSystem((sql) => sql.selectFrom('users').selectAll().execute())
  const byPhone = (number: number) => users.find(({ phone }) => phone === demoPhone(number))
  const [own, staff] = [byPhone(1), byPhone(9)]
  if (!own || !staff) throw new Error('The demo town is not there')
  const loans = await app.database.asSystem((sql) => sql.selectFrom('loans').selectAll().execute())
  const links = await app.database.asSystem((sql) => sql.selectFrom('payment_links').select('payment_link_id').limit(40).execute())
  const receipts = await app.database.asSystem((sql) => sql.selectFrom('receipts').select('receipt_number').limit(40).execute())
  const ids = [
    ...loans.flatMap(({ lan, lead_id, partner_loan_id }) => [lan, lead_id ?? '', partner_loan_id ?? '']),
    ...users.map(({ user_id }) => user_id),
  ]
  const loanIds = ids.slice(0, 9)
  const mint = (assumedUserId: string | null, { user_id: userId, roles }: typeof own): Promise<string> =>
    mintToken(app.database, app.context.config, app.clock.now(), { userId, roles, ...(assumedUserId !== null && { assumedUserId }) })
  return {
    known: {
      lan: loanIds,
      lead_id: loanIds,
      application_id: loanIds,
      partner_loan_id: loanIds,
      user_id: users.map(({ user_id }) => user_id),
      user_id_to_assume: users.map(({ user_id }) => user_id),
      payment_link_id: links.flatMap(({ payment_link_id }) => payment_link_id ?? []),
      receipt_number: receipts.map(({ receipt_number }) => receipt_number),
      phone: users.map(({ phone }) => phone),
      date: ['2026-12-05', '2027-01-01T00:00:00Z'],
      amount: ['1000', '25000'],
      what: ['dues', 'dpd', 'row:1', 'foreclosure'],
      callback_url: ['http://localhost:3000/payments/waiting-for-payment'],
    },
    tokens: async () => ({
      borrower: await mint(null, own),
      staff: await mint(null, staff),
      assumed: await mint(own.user_id, staff),
      nobody: undefined,
      garbage: 'a.b.c',
    }),
    canaries: users
      .filter(({ user_id }) => user_id !== own.user_id && user_id !== staff.user_id)
      .flatMap(({ pan, email }) => [pan, email].filter((one) => one !== null)),
  }
}

async function check(
  app: App,
  target: Target,
  one: FuzzCase,
  tokens: Tokens,
  town: Town,
  counts: Counts,
  report: (what: string) => void,
): Promise<void> {
  const path = target.path.replaceAll(/\{([a-z_]+)\}/g, (_all, name: string) => encode(one.params[name] ?? ''))
  const query = one.query.map(([name, text]) => `${encode(name)}=${encode(text)}`).join('&')
  const token = tokens[one.caller]
  const started = performance.now()
  counts.cases += 1
  const sent = bodyOf(target, one)
  const response = await fetch(`${app.url}${apiPrefix}${path}${query ? `?${query}` : ''}`, {
    method: target.method,
    redirect: 'manual',
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(typeof sent === 'string' && one.contentType && { 'content-type': one.contentType }),
    },
    ...(sent !== undefined && { body: typeof sent === 'string' ? Buffer.from(sent) : sent }),
  }).catch((error: unknown) => error as Error)
  if (response instanceof Error) {
    // A body that is far too large is refused during sending, and the connection is closed.
    if ((one.body?.length ?? 0) > 60_000) return
    counts.errors += 1
    return report(`no answer: ${response.message} ${String(response.cause)}`)
  }
  const text = await response.text()
  const seen = `${response.status} to ${JSON.stringify(one).slice(0, 400)}: ${text.slice(0, 200)}`
  const findings = [
    { kind: 'errors', isFound: response.status >= 500, name: '' },
    { kind: 'slow', isFound: performance.now() - started > slowMs, name: 'slow: ' },
    { kind: 'offContract', isFound: !isOnContract(target, response, text), name: 'off contract: ' },
    {
      kind: 'leaks',
      isFound: leaks(text) || (one.caller === 'borrower' && town.canaries.some((canary) => text.includes(canary))),
      name: 'leak: ',
    },
  ] as const
  for (const { kind, isFound, name } of findings) {
    if (!isFound) continue
    counts[kind] += 1
    report(`${name}${seen}`)
  }
}

/** Sends form calls as a form with a random file; other bodies unchanged. */
function bodyOf({ operation }: Target, { body, contentType }: FuzzCase): string | FormData | undefined {
  if (body === undefined || contentType !== 'application/json' || !operation.requestBody?.content['multipart/form-data']) return body
  const form = new FormData()
  const content = parse(body)
  if (typeof content === 'object' && content !== null)
    for (const [name, value] of Object.entries(content))
      form.append(name.toWellFormed(), (typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed())
  const file = files[body.length % files.length] ?? ''
  form.append('file', new Blob([file]), body.slice(0, 80).toWellFormed() || 'file')
  return form
}

const files = [
  '',
  '%PDF-1.7\n%%EOF',
  '<html><script>alert(1)</script>',
  'MZ\u0090',
  '\u0089PNG\r\n\u001a\n',
  'BM',
  'GIF89a',
  'RIFF....WEBPVP8 ',
  '\u0000'.repeat(1_000),
]

/** Keeps lone surrogates. */
const encode = (text: string) => encodeURIComponent(text.toWellFormed()).replaceAll('.', '%2E')

/** Refusals of the framework before routing: an invalid or too long path. */
const beforeTheCall = new Set([404, 405, 414])

function isOnContract({ name, operation }: Target, response: Response, text: string): boolean {
  const type = response.headers.get('content-type') ?? ''
  const isKnown = String(response.status) in operation.responses || beforeTheCall.has(response.status)
  if (response.status >= 400) return isKnown && type.startsWith('application/problem+json') && z.safeParse(problem, parse(text)).success
  if (!isKnown && response.status !== 206) return false
  const call: Endpoint = contract[name]
  return call.answers === 'file' || z.safeDecode(call.response, parse(text) as never).success
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const leaks = (text: string) =>
  /\bat .{1,80}\.(ts|js|mjs):\d+|node_modules|\bselect .{1,200} from |insert into |syntax error at|pg_|kist_app|kist_owner|ECONNREFUSED|\/server\/|BEGIN PRIVATE KEY/i.test(
    text,
  )
