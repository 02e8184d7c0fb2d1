import { createHmac } from 'node:crypto'
import { Writable } from 'node:stream'
import { pino, type Logger } from 'pino'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { failingDatabase } from '#testkit/failing-database.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { requestLink } from '#testkit/payments.ts'
import { startApp, until, type App } from '#testkit/start-app.ts'
import { scannerDownMark, testVirus } from './adapters/virus-scan/local.ts'
import { fetchFile, pdf, upload } from './documents/files.testing.ts'
import { createLog } from './log.ts'

const lines: string[] = []
const into = (list: string[]) => new Writable({ write: (chunk: Buffer, _encoding, done) => (list.push(chunk.toString()), done()) })
const written = () => lines.join('')

/** Values that must never be logged, by kind; the flows add the ones they use. */
const canaries: Record<string, string[]> = {
  phone: [1, 2, 5, 9, 11].map((number) => demoPhone(number).slice(-10)),
  PAN: ['QZXPC4471K'],
  'one-time code': [],
  'bearer token': [],
  'session token': [],
  'key secret': [],
  'webhook secret': [],
  'Authorization header of the provider': [],
  'ticket of a document': [],
  'e-mail': ['canary.of.mail@example.in'],
  name: ['Canaryfirst', 'Canarylast', 'Ananya', 'Deshpande'],
  'bytes of a document': ['canary-in-the-bytes'],
  'name of a file': ['canary-of-a-file'],
  'words of staff': ['canary reason of staff'],
}
/** Values that are recognised by format alone: whole tokens and tickets, not parts. */
const recognisedByFormat = () => [
  ...['phone', 'PAN', 'e-mail'].flatMap((kind) => canaries[kind] ?? []),
  ...(canaries['bearer token'] ?? []).filter((value) => value.startsWith('eyJ')),
  ...(canaries['ticket of a document'] ?? []).filter((value) => value.includes('.')),
]
/** Six digits also occur within times and ids, so a code is looked for as a whole. */
const contains = (text: string, kind: string, value: string) =>
  kind === 'one-time code' ? new RegExp(`(?<![0-9a-f])${value}(?![0-9a-f])`).test(text) : text.includes(value)
const found = (text: string) =>
  Object.entries(canaries).flatMap(([kind, values]) =>
    values.filter((value) => contains(text, kind, value)).map((value) => `${kind}: ${value}`),
  )

let app: App
beforeAll(async () => {
  app = await startApp(inject('cluster'), { town: true, log: createLog({ logLevel: 'debug', production: true }, into(lines)) })
  const { keyId, keySecret, webhookSecrets } = app.context.config.razorpay
  canaries['key secret']?.push(keySecret)
  canaries['webhook secret']?.push(...webhookSecrets)
  canaries['Authorization header of the provider']?.push(Buffer.from(`${keyId}:${keySecret}`).toString('base64'))
  await app.database.asSystem((sql) =>
    sql
      .updateTable('users')
      .set({ first_name: 'Canaryfirst', last_name: 'Canarylast', email: 'canary.of.mail@example.in', pan: 'QZXPC4471K' })
      .where('phone', '=', demoPhone(2))
      .returning('user_id')
      .executeTakeFirstOrThrow(),
  )
})
afterAll(() => app.close())

/** Signs in and collects all secrets of the flow. */
async function signIn(phone: string): Promise<string> {
  const before = app.outbox().length
  const { body } = await app.post('/auth/login', { phone })
  canaries['session token']?.push(String(body['session_token']))
  await app.post('/auth/verify', { session_token: body['session_token'], otp: '000000' })
  const code = await until(
    () =>
      app
        .outbox()
        .slice(before)
        .findLast(({ to, code }) => to === phone && code !== null)?.code,
  )
  canaries['one-time code']?.push(code)
  const token = String((await app.post('/auth/verify', { session_token: body['session_token'], otp: code })).body['token'])
  canaries['bearer token']?.push(token, token.split('.')[2] ?? '')
  return token
}

/** Waits for a new line with this message. */
const waitForMessage = (message: string) => until(() => written().includes(`"msg":"${message}"`))

describe('no canary is in the log', () => {
  it('after sign-ins, failed ones, unknown phones, and unsent messages', async () => {
    await signIn(demoPhone(1))
    await app.post('/auth/login', { phone: '9000000099' })
    await app.post('/auth/login', { phone: `${demoPhone(1)}x` })
    await app.post('/auth/verify', { session_token: 'no such', otp: '000000' })
    await app.post('/auth/login', { phone: '9000000098' })
    canaries['phone']?.push('9000000098', '9000000099')
    await waitForMessage('job failed')
  })

  it('after payments, every failure of the provider, and valid and forged webhooks', async () => {
    const token = await signIn(demoPhone(11))
    for (const fault of [{ kind: 'reset' }, { kind: 'malformed_json' }, { kind: 'status', status: 400 }, { kind: 'status', status: 401 }])
      for (const call of ['create', 'list']) await app.sandbox('/faults', { call, ...fault, times: 1 })
    for (let turn = 0; turn < 4; turn += 1) await requestLink(app, token)
    await app.sandbox('/faults', { clear: true })
    await waitForMessage('provider refused to create a payment link')
    const payer = await signIn(demoPhone(2))
    const lan = ((await app.get('/portal/loans-summary', payer)).body['loans'] as { lan: string }[])[0]?.lan
    await app.get(`/portal/repayment-schedule?lead_id=${lan}`, payer)
    const body = JSON.stringify({
      event: 'payment_link.paid',
      payload: { contact: demoPhone(2), email: 'canary.of.mail@example.in' },
    })
    const [secret = ''] = app.context.config.razorpay.webhookSecrets
    const signature = createHmac('sha256', secret).update(body).digest('hex')
    for (const sign of [signature, 'x'.repeat(64)])
      await app.post('/webhooks/razorpay', body, undefined, {
        'x-razorpay-signature': sign,
        'x-razorpay-event-id': `canary-${sign.slice(0, 4)}`,
      })
  })

  it('after documents: uploaded, refused, not examined, generated, requested with a broken ticket', async () => {
    const token = await signIn(demoPhone(1))
    const [loan] = (await app.get('/portal/loans-summary', token)).body['loans'] as Record<string, string>[]
    const fields = {
      document_type: 'Transcript',
      lead_id: loan?.['lead_id'] ?? '',
      lan: loan?.['lan'] ?? '',
      partner_loan_id: loan?.['partner_loan_id'] ?? '',
    }
    const send = (trailing: string) =>
      upload(app, token, { content: pdf({ objects: `% canary-in-the-bytes ${trailing}\n` }), filename: 'canary-of-a-file.pdf', fields })
    const statuses = [(await send('')).status, (await send(testVirus)).status, (await send(scannerDownMark)).status]
    expect(statuses).toEqual([200, 422, 503])
    await upload(app, token, { content: Buffer.from('canary-in-the-bytes'), filename: 'canary-of-a-file.exe', fields })
    const { body } = await app.get(`/portal/generate-document?lead_id=${loan?.['lead_id']}&doc_type=statement_of_account`, token)
    const ticket = new URL(String(body['doc_url']), app.url).searchParams.get('ticket') ?? ''
    canaries['ticket of a document']?.push(ticket, ticket.split('.')[0] ?? '')
    expect((await fetchFile(app, `/portal/generated-document?ticket=${ticket}`)).status).toBe(200)
    expect((await fetchFile(app, `/portal/generated-document?ticket=${ticket}x`)).status).toBe(404)
  })

  it('after searches and assumed sessions of staff', async () => {
    const staff = await signIn(demoPhone(9))
    for (const words of ['Canarylast', 'QZXPC4471K', demoPhone(2).slice(-10), 'canary.of.mail@example.in'])
      await app.get(`/auth/users/all?search=${encodeURIComponent(words)}`, staff)
    const person = await app.database.asSystem((sql) =>
      sql.selectFrom('users').select('user_id').where('phone', '=', demoPhone(2)).executeTakeFirstOrThrow(),
    )
    const acting = await app.post('/auth/assume', { user_id_to_assume: person.user_id, reason: 'canary reason of staff' }, staff)
    expect(acting.status).toBe(200)
    canaries['bearer token']?.push(String(acting.body['token']))
    await app.get('/portal/loans-summary', String(acting.body['token']))
    await app.get('/auth/users/all', String(acting.body['token']))
  })

  it('after a defect whose error quotes everything', async () => {
    const token = await signIn(demoPhone(5))
    const { database } = app.context
    const everything = recognisedByFormat().join(' ')
    const quoting = Object.assign(new Error(`duplicate key for ${everything}`, { cause: new Error(everything) }), {
      detail: `Key (first_name)=(Canaryfirst)`,
      config: { headers: { Authorization: canaries['Authorization header of the provider']?.[0] }, data: 'canary-in-the-bytes' },
    })
    const valueRefused = Object.assign(new Error('invalid input syntax for type uuid: "Canaryfirst"'), { code: '22P02' })
    for (const error of [quoting, valueRefused]) {
      app.context.database = failingDatabase(database, error)
      expect((await app.get('/auth/permissions', token)).status).toBe(500)
    }
    app.context.database = database
    expect(written()).toContain('duplicate key for [phone]')
    expect(written()).toContain('invalid input syntax for type uuid: \\"…\\"')
  })

  it('in total: 0 hits of 14 kinds, each of which was used', () => {
    expect(Object.entries(canaries).filter(([, values]) => values.length === 0)).toEqual([])
    expect(Object.keys(canaries).length).toBeGreaterThanOrEqual(12)
    expect(lines.length).toBeGreaterThan(20)
    expect(found(written())).toEqual([])
  })
})

/** Logs each canary carelessly: in its own field, in a text, in an error. */
function writeCarelessly(log: Logger) {
  for (const [field, kind] of Object.entries({
    phone: 'phone',
    pan: 'PAN',
    otp: 'one-time code',
    session_token: 'session token',
    token: 'bearer token',
    keySecret: 'key secret',
    secret: 'webhook secret',
    authorization: 'Authorization header of the provider',
    ticket: 'ticket of a document',
    email: 'e-mail',
    first_name: 'name',
    body: 'bytes of a document',
    filename: 'name of a file',
    text: 'words of staff',
  }))
    for (const value of canaries[kind] ?? []) {
      log.debug({ [field]: value }, 'careless')
      log.error({ request: { headers: { [field]: value } }, err: Object.assign(new Error('careless'), { [field]: value }) }, 'careless')
    }
  for (const value of recognisedByFormat()) log.warn({ reason: `for ${value}, that is` }, `of ${value}`)
  log.warn(`called with Basic ${canaries['Authorization header of the provider']?.[0]}`)
}

it('the search finds each of them in a log without the filters, and none with them', () => {
  const bare: string[] = []
  writeCarelessly(pino({ level: 'debug' }, into(bare)))
  const kindsFound = new Set(found(bare.join('')).map((hit) => hit.split(':')[0]))
  expect([...kindsFound].sort()).toEqual(Object.keys(canaries).sort())
  const netted: string[] = []
  writeCarelessly(createLog({ logLevel: 'debug', production: true }, into(netted)))
  expect(netted.length).toBe(bare.length)
  expect(found(netted.join(''))).toEqual([])
})

it('does not change what an operator needs', () => {
  const lines: string[] = []
  const line = {
    reference: 'KST-7f3a9c',
    reqId: '0190a8f2-7c11-7a20-9a3c-9000000001ab',
    amount_paise: 9000000001000,
    code: 'NotFound',
    at: 1795170377643,
  }
  createLog({ logLevel: 'info', production: true }, into(lines)).info(line, 'payment link state not available from provider')
  expect(JSON.parse(lines.join(''))).toMatchObject(line)
})
