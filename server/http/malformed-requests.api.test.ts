import { connect as tcpConnect } from 'node:net'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { demoPhone } from '#testkit/demo-town.ts'
import { startApp, type App } from '#testkit/start-app.ts'
import { signInSteps } from '../auth/sign-in.testing.ts'
import { encodingFor } from './encodings.ts'

let app: App
let token: string
const logged: { level: number; msg: string }[] = []

beforeAll(async () => {
  const log = pino(new Writable({ write: (line: Buffer, _encoding, done) => (logged.push(JSON.parse(line.toString())), done()) }))
  // No sweeps: P17 measures this thread, and no test waits for one.
  app = await startApp(inject('cluster'), {
    town: true,
    log,
    settings: { KIST_SWEEP_INTERVAL_MS: '600000', KIST_TRUSTED_PROXIES: '127.0.0.1' },
  })
  token = await signInSteps(app).signIn(demoPhone(1))
})
afterAll(() => app.close())

type RawAnswer = { status: number; headers: string; body: string }

/** Sends raw bytes, which no HTTP client would, and reads until the server closes. */
function send(text: string): Promise<RawAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>()
  let answer = ''
  tcpConnect(Number(new URL(app.url).port), '127.0.0.1', function (this: { write(text: string): void }) {
    this.write(text)
  })
    .on('data', (chunk: Buffer) => (answer += chunk.toString()))
    .on('error', reject)
    .on('close', () => {
      const [headers = '', body = ''] = answer.split('\r\n\r\n')
      resolve({ status: Number(headers.split(' ')[1]), headers: headers.toLowerCase(), body })
    })
  return promise
}
const get = (target: string, headers: readonly string[] = []) =>
  send(['GET ' + target + ' HTTP/1.1', 'Host: localhost:3000', 'Connection: close', ...headers, '', ''].join('\r\n'))
const problemOf = ({ body }: RawAnswer) => JSON.parse(body) as { code: string; field?: string; request_id: string }

/** The CPU time of this thread, independent of other load. */
async function cpuMsOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}

describe('headers', () => {
  const commas = ','.repeat(15_000)
  const leastOf = async (work: () => Promise<unknown>) => {
    const times: number[] = []
    for (let turn = 0; turn < 3; turn += 1) times.push(await cpuMsOf(work))
    return Math.min(...times)
  }

  it('P22: ten requests with 15 KB of commas as the chain of proxies cost milliseconds', async () => {
    const askTen = async () => {
      for (let count = 0; count < 10; count += 1) expect((await get('/health/live', [`X-Forwarded-For: ${commas}`])).status).toBe(200)
    }
    expect(await leastOf(askTen)).toBeLessThan(60)
  })

  it('P22: choosing the encoding of ten answers from 15 KB of commas costs no millisecond', async () => {
    const chooseTen = async () => {
      for (let count = 0; count < 10; count += 1) expect(encodingFor(commas)).toBe('identity')
    }
    expect(await leastOf(chooseTen)).toBeLessThan(10)
  })
})

describe('queries', () => {
  it.each(['/health/live', '/', '/api/v1/auth/permissions', '/api/v1/nothing', '/config.json'])(
    'P17: 16 KB of repeated parameters at %s are 400, and cost milliseconds',
    async (path) => {
      let answer: RawAnswer | null = null
      const times: number[] = []
      for (let turn = 0; turn < 3; turn += 1) times.push(await cpuMsOf(async () => (answer = await get(`${path}?${'a&'.repeat(7_800)}`))))
      expect(answer).toMatchObject({ status: 400 })
      expect(problemOf(answer as unknown as RawAnswer)).toMatchObject({ code: 'InvalidRequest', field: 'query' })
      expect(Math.min(...times)).toBeLessThan(50)
    },
  )

  it('may have 100 parameters and 8,192 characters', async () => {
    const parameters = (count: number) => Array.from({ length: count }, (_, index) => `p${index}=1`).join('&')
    const status = async (query: string) => (await get(`/health/live?${query}`)).status
    expect([await status(parameters(100)), await status(parameters(101))]).toEqual([200, 400])
    expect([await status(`a=${'x'.repeat(8_190)}`), await status(`a=${'x'.repeat(8_191)}`)]).toEqual([200, 400])
  })

  it.each([
    ['lead_id=KST-1&lead_id=KST-1', 'lead_id'],
    ['lead_id=KST-1&lead_id=KST-2&lead_id=KST-3', 'lead_id'],
    ['lead_id[]=KST-1', 'lead_id'],
    ['lead_id=KST-1&lead_id[1]=KST-2', 'lead_id'],
    ['lead_id=KST-1&unknown=1&unknown=2', 'unknown'],
    ['lead_id=KST-1&__proto__=1&__proto__=2', '__proto__'],
    ['lead_id=KST-1&%6cead_id=KST-2', 'lead_id'],
  ])('P17: a parameter given twice or as an array is 400: %s', async (query, field) => {
    const { status, body } = await app.get(`/portal/repayment-schedule?${query}`, token)
    expect([status, body['code'], body['field']]).toEqual([400, 'InvalidRequest', field])
  })

  it('are checked after the session: without one it is 401', async () => {
    expect((await app.get('/portal/repayment-schedule?lead_id=1&lead_id=2')).status).toBe(401)
  })
})

describe('addresses', () => {
  const unreadable = ['/%', '/%zz', '/api/v1/%', '/%c0%ae%c0%ae/', '/assets/%ff.js', '*', 'kist', 'ftp://localhost/']
  // Screens of the web app, which shows its own not-found page; 404 if the web app is not built.
  const pages = ['//', '/\\', '///', '//evil/..', '/;', '/.', '/..', '//%2e%2e/']
  const missing = [
    '//evil.example',
    '/\\evil.example',
    '//index.html',
    '/\\..\\x.js',
    '/..%2f..%2fpackage.json',
    '/a%00b.js',
    '/%5c..%5cx.js',
    '/api/v1//',
    '//%2e%2e/x.json',
  ]

  it.each([...unreadable, ...pages, ...missing])(
    'P18: %s gets an answer of ours: security headers, no stack, never 500',
    async (target) => {
      logged.length = 0
      const answer = await get(target)
      const { status, headers, body } = answer
      if (unreadable.includes(target)) expect([status, problemOf(answer).code]).toEqual([400, 'InvalidRequest'])
      else if (pages.includes(target)) expect([200, 404]).toContain(status)
      else expect([404, 403, 400]).toContain(status)
      if (status === 200) expect(body).toMatch(/^<!doctype html>/i)
      else {
        expect(headers).toContain('content-type: application/problem+json; charset=utf-8')
        expect(problemOf(answer).request_id).toMatch(/^[0-9a-f-]{36}$/)
      }
      for (const header of [
        'x-content-type-options: nosniff',
        "content-security-policy: default-src 'none'",
        'referrer-policy: no-referrer',
      ])
        expect(headers).toContain(header)
      expect(body).not.toMatch(/node_modules|\.ts:|\bat \w+ \(/)
      expect(logged.filter(({ level }) => level >= 50)).toEqual([])
    },
  )

  it.each([
    ['http://localhost:3000/health/live', 200],
    ['http://localhost:3000', 400],
    ['HTTP://evil.example/health/live?x=1', 200],
  ])('an absolute target counts by its path: %s', async (target, status) => {
    expect((await get(target)).status).toBe(status)
  })

  it('a long path segment reaches the call, which refuses it like any unknown name', async () => {
    const { status, body } = await app.get(`/auth/users/${'u'.repeat(8_000)}`, token)
    expect([400, 403, 404]).toContain(status)
    expect(JSON.stringify(body)).not.toContain('uuuu')
  })

  it('every other method of an unreadable address gets the same refusal', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
      expect(await send(`${method} /% HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)).toMatchObject({ status: 400 })
  })
})

describe('headers', () => {
  it.each([
    ['host', ['Host: evil.example']],
    ['host', ['hOsT: localhost:3000']],
    ['authorization', ['Authorization: Bearer a', 'Authorization: Bearer b']],
    ['content-type', ['Content-Type: application/json', 'Content-Type: text/plain']],
  ])('P19: %s given twice is 400', async (field, lines) => {
    const answer = await get('/api/v1/auth/permissions', lines)
    expect([answer.status, problemOf(answer)]).toEqual([400, expect.objectContaining({ code: 'InvalidRequest', field })])
  })

  it('other headers may be repeated', async () => {
    expect((await get('/health/live', ['Accept: a', 'Accept: b', 'X-Forwarded-For: 1.1.1.1', 'X-Forwarded-For: 2.2.2.2'])).status).toBe(200)
  })
})

describe('tokens', () => {
  it('S19: one token has one spelling', async () => {
    const [head = '', claims = '', signature = ''] = token.split('.')
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const last = alphabet.indexOf(signature.at(-1) ?? '')
    const status = async (spelled: string) => (await app.get('/auth/permissions', spelled)).status
    const spellings = Array.from({ length: 16 }, (_, spare) => signature.slice(0, -1) + alphabet[(last & ~15) + spare])
    expect(new Set(spellings.map((one) => Buffer.from(one, 'base64url').toString('hex'))).size).toBe(1)
    const statuses = []
    for (const one of spellings) statuses.push([one === signature, await status(`${head}.${claims}.${one}`)])
    expect(statuses.filter(([isCanonical, code]) => code !== (isCanonical ? 200 : 401))).toEqual([])
    for (const spelled of [`${token}=`, `${token}.`, `${head}.${claims}.${signature}A`, `${head}..${signature}`])
      expect([spelled, await status(spelled)]).toEqual([spelled, 401])
    expect(await status(token)).toBe(200)
  })
})

describe('amounts', () => {
  it.each(['10000.10000000000001', '10000.105', '10000.001', '9007199254740993', '0.1000000000000000055511151231257827', '-0', '1e4'])(
    'P20: %s is 400: it is read as it was written, not as the nearest number',
    async (amount) => {
      const body = `{"amount":${amount},"lead_id":"x","application_id":"x","purpose":"PART_PAYMENT","callback_url":"http://localhost:3000/"}`
      const { status, body: problem } = await app.post('/portal/payment-link', body, token)
      expect([status, problem['code'], problem['field']]).toEqual([400, 'InvalidRequest', 'amount'])
    },
  )
})
