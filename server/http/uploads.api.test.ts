import { readdirSync } from 'node:fs'
import { connect as tcpConnect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { demoPhone } from '#testkit/demo-town.ts'
import { startApp, type App } from '#testkit/start-app.ts'
import { until } from '#testkit/until.ts'

const fileBytesMax = 200_000
/** The allowance around the file, plus what the kernel buffers of an unread connection. */
const slackBytesMax = 20_000_000

let app: App
let token: string
beforeAll(async () => {
  app = await startApp(inject('cluster'), { town: true, settings: { KIST_UPLOAD_SIZE_MAX_BYTES: String(fileBytesMax) } })
  token = await app.signIn(demoPhone(11))
})
afterAll(() => app.close())

const crlf = '\r\n'
const boundary = 'x-boundary-x'
const part = (disposition: string) => `--${boundary}${crlf}Content-Disposition: form-data; ${disposition}${crlf}${crlf}`
const filePart = part('name="file"; filename="a.pdf"')

/** The head of an upload's request. */
const headOf = (bearer: string, more: readonly string[]): string =>
  [
    'POST /api/v1/portal/upload-document HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${bearer}`,
    `Content-Type: multipart/form-data; boundary=${boundary}`,
    ...more,
    crlf,
  ].join(crlf)

type Sent = { answer: string; bytes: number; endedAfterAnswerMs: number }

/** Sends headers, then an endless chunked body, until the server closes. */
function sendForever(bearer: string, start: string, unit: string, more: readonly string[] = []): Promise<Sent> {
  const { promise, resolve } = Promise.withResolvers<Sent>()
  const block = Buffer.from(unit.repeat(Math.ceil(65_536 / unit.length)))
  const chunk = (bytes: Buffer) => Buffer.concat([Buffer.from(bytes.length.toString(16) + crlf), bytes, Buffer.from(crlf)])
  let bytes = 0
  let answer = ''
  let answeredAt = 0
  const socket: Socket = tcpConnect(Number(new URL(app.url).port), '127.0.0.1', () => {
    socket.write(headOf(bearer, ['Transfer-Encoding: chunked', ...more]))
    socket.write(chunk(Buffer.from(start)))
    const pump = () => {
      while (!socket.destroyed && bytes < 500_000_000) {
        if (answer === '') bytes += block.length
        if (!socket.write(chunk(block))) return void socket.once('drain', pump)
      }
    }
    pump()
  })
  socket
    .on('data', (data: Buffer) => {
      if (answer === '') answeredAt = performance.now()
      answer += data.toString()
    })
    // The server resets the connection at the timeout.
    .on('error', () => {})
    .on('close', () => resolve({ answer, bytes, endedAfterAnswerMs: performance.now() - answeredAt }))
  return promise
}

const staged = () => {
  try {
    return readdirSync(app.context.config.documents.stagingDirectory)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

describe('an endless form without Content-Length', () => {
  it.each([
    ['in the file', filePart, 'x', 'close'],
    ['in the file, on a connection to be kept', filePart, 'x'],
    ['before the first part', '', 'x'],
    ['after the last part', `${filePart}x${crlf}--${boundary}--${crlf}`, 'x'],
    ['in a field', part('name="lan"'), 'x'],
    ['in the headers of a part', `--${boundary}${crlf}`, `X-Y: z${crlf}`],
    ['in empty parts', '', `--${boundary}${crlf}${crlf}${crlf}`],
  ])(
    'F17: an upload without length is answered 413 at the limit and cut off: %s',
    async (_where, start, unit, connection = 'keep-alive') => {
      const { answer, bytes, endedAfterAnswerMs } = await sendForever(token, start, unit, [`Connection: ${connection}`])
      expect(answer).toMatch(/^HTTP\/1\.1 (413|400) [\s\S]*"code":"(FileTooLarge|InvalidRequest)"/)
      expect(bytes).toBeLessThan(fileBytesMax + slackBytesMax)
      // The next limit that could end it is far longer (KIST_UPLOAD_TIMEOUT_MS).
      expect(endedAfterAnswerMs).toBeLessThan(60_000)
      expect(staged()).toEqual([])
      expect((await app.get('/auth/permissions', token)).status).toBe(200)
    },
  )
})

describe('a caller who may not upload', () => {
  it.each([
    ['a loan', 6, 404, 'NotFound'],
    ['an active loan', 4, 409, 'LoanNotActive'],
    ['a lead id', 7, 409, 'LeadIdMissing'],
  ])('F18: a borrower without %s is refused before any byte of the form is read', async (_what, person, status, code) => {
    const bearer = await app.signIn(demoPhone(person))
    const { answer, bytes } = await sendForever(bearer, filePart, 'x')
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*"code":"${code}"`))
    expect(bytes).toBeLessThan(slackBytesMax)
    expect(staged()).toEqual([])
  })

  it('and so is nobody', async () => {
    expect((await sendForever('x.y.z', filePart, 'x')).answer).toMatch(/^HTTP\/1\.1 401 /)
  })
})

it('a form whose session ended while it arrived is refused', async () => {
  const bearer = await app.signIn(demoPhone(11))
  const { promise, resolve } = Promise.withResolvers<string>()
  let answer = ''
  const end = `${crlf}--${boundary}--${crlf}`
  const start = `${part('name="lan"')}KST-1${crlf}${filePart}%PDF-1.4`
  const socket: Socket = tcpConnect(Number(new URL(app.url).port), '127.0.0.1', () => {
    socket.write(headOf(bearer, [`Content-Length: ${start.length + end.length}`, 'Connection: close']) + start)
  })
  socket.on('data', (data: Buffer) => (answer += data.toString())).on('close', () => resolve(answer))
  // The server has authorized the request and reads its file.
  await until(() => staged().length === 1)
  expect((await app.post('/auth/logout', {}, bearer)).status).toBe(200)
  socket.write(end)
  expect(await promise).toMatch(/^HTTP\/1\.1 401 [\s\S]*"code":"AuthSessionExpired"/)
  await until(() => staged().length === 0)
})

it('a too large Content-Length is answered 413 too, although the client keeps sending', async () => {
  for (const path of ['/auth/login', '/webhooks/razorpay', '/portal/upload-document'])
    for (const connection of ['keep-alive', 'close']) {
      const { promise, resolve } = Promise.withResolvers<string>()
      let answer = ''
      const type = path.startsWith('/portal') ? `multipart/form-data; boundary=${boundary}` : 'application/json'
      const socket: Socket = tcpConnect(Number(new URL(app.url).port), '127.0.0.1', () => {
        socket.write(
          [
            `POST /api/v1${path} HTTP/1.1`,
            'Host: localhost',
            `Authorization: Bearer ${token}`,
            `Content-Type: ${type}`,
            'Content-Length: 30000000',
            `Connection: ${connection}`,
            '',
            '',
          ].join(crlf),
        )
        for (let sent = 0; sent < 30_000_000; sent += 100_000) socket.write(Buffer.alloc(100_000))
      })
      socket
        .on('data', (data: Buffer) => {
          answer += data.toString()
          if (connection === 'keep-alive' && answer.includes('"code"')) socket.destroy()
        })
        .on('error', () => {})
        .on('close', () => resolve(answer))
      expect([path, connection, (await promise).slice(0, 12)]).toEqual([path, connection, 'HTTP/1.1 413'])
    }
})
