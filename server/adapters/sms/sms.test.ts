import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { freePort } from '../../database/free-port.ts'
import { ConfigError } from '../../config/read-config.ts'
import { createMsg91 } from './msg91.ts'
import { startMsg91 } from './msg91.testing.ts'
import { createSmsOutbox, failingPhone } from './outbox.ts'
import type { SmsSender, TextMessage } from './sms.ts'

/**
 * The input of the conformance test: an adapter, its carrier's messages, and a phone that the
 * carrier refuses.
 */
const templateId = '1207161234567890123'
type Fixture = { sender: SmsSender; carried(): TextMessage[]; refusedPhone: string; stop(): void }

/** All carriers must pass the same tests; a new one is added here. */
const carriers: Record<string, () => Fixture | Promise<Fixture>> = {
  outbox: () => {
    const { directory, sender, lines } = outbox()
    const carried = () => lines().map(({ to, text, code }) => ({ to, text, code, templateId }))
    return { sender, carried, refusedPhone: failingPhone, stop: () => rmSync(directory, { recursive: true }) }
  },
  MSG91: async () => {
    const { carrier, sender } = await msg91()
    return { sender, carried: carrier.messages, refusedPhone: failingPhone, stop: carrier.stop }
  },
}

async function msg91(timeoutMs = 60_000) {
  const carrier = await startMsg91('key-1', failingPhone)
  const options = {
    baseUrl: carrier.url,
    authKey: 'key-1',
    sender: 'MGHDUT',
    dltEntityId: '1201159876543210987',
    timeoutMs,
  }
  return { carrier, options, sender: createMsg91(options) }
}

const at = new Date('2026-12-05T04:30:00.250Z')

function outbox() {
  const directory = mkdtempSync(join(tmpdir(), 'kist-outbox-'))
  const printed: string[] = []
  const sender = createSmsOutbox({
    production: false,
    dataDirectory: join(directory, 'made', 'at first'),
    clock: { now: () => at },
    print: (line) => printed.push(line),
  })
  const path = join(directory, 'made', 'at first', 'outbox.ndjson')
  const lines = () =>
    readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as TextMessage & { at: string })
  return { directory, sender, printed, path, lines }
}

describe.each(Object.entries(carriers))('SMS through %s', (_name, makeFixture) => {
  let fixture: Fixture | undefined
  afterEach(() => fixture?.stop())

  it('sends any text unchanged', async () => {
    fixture = await makeFixture()
    const message = { to: '+919000000001', text: '123456 आपका कोड है, "साझा न करें"\n\n@kist.example #123456', code: '123456', templateId }
    expect(await fixture.sender.send(message)).toBe('sent')
    expect(fixture.carried()).toEqual([message])
  })

  it('sends a message without a code', async () => {
    fixture = await makeFixture()
    const message = { to: '+919000000001', text: 'Your instalment is due on 05 Dec 2026.', code: null, templateId }
    expect(await fixture.sender.send(message)).toBe('sent')
    expect(fixture.carried()).toEqual([message])
  })

  it('loses none of many concurrent messages', async () => {
    fixture = await makeFixture()
    const { sender, carried } = fixture
    const messages = Array.from({ length: 50 }, (_, index) => ({ to: '+919000000001', text: `message ${index}`, code: null, templateId }))
    await Promise.all(messages.map((message) => sender.send(message)))
    expect(
      carried()
        .map(({ text }) => text)
        .sort(),
    ).toEqual(messages.map(({ text }) => text).sort())
  })

  it('reports why a message was not sent, without phone and code, and does not throw', async () => {
    fixture = await makeFixture()
    const outcome = await fixture.sender.send({ to: fixture.refusedPhone, text: 'the code is 123456', code: '123456', templateId })
    expect(outcome).toEqual({ failed: expect.any(String) })
    expect(JSON.stringify(outcome)).not.toMatch(new RegExp(`123456|${fixture.refusedPhone.slice(1)}`))
  })
})

describe('the outbox', () => {
  it('writes one line per message, readable by its owner only, and prints it', async () => {
    const { directory, sender, printed, path, lines } = outbox()
    await sender.send({ to: '+919000000001', text: 'Your code is 123456.\n\n@localhost #123456', code: '123456', templateId })
    expect(lines()).toEqual([
      { at: at.toISOString(), to: '+919000000001', text: 'Your code is 123456.\n\n@localhost #123456', code: '123456' },
    ])
    expect(printed).toEqual(['SMS to +919000000001: Your code is 123456. @localhost #123456'])
    expect(statSync(path).mode & 0o777).toBe(0o600)
    rmSync(directory, { recursive: true })
  })

  it('A20: is refused in production', () => {
    expect(() => createSmsOutbox({ production: true, dataDirectory: '/nowhere', clock: { now: () => at } })).toThrow(ConfigError)
  })
})

describe('MSG91', () => {
  it('receives the registered sender, template and entity, and a flag for characters beyond ASCII', async () => {
    const { carrier, sender } = await msg91()
    await sender.send({ to: '+919000000001', text: 'plain\n123456', code: '123456', templateId })
    await sender.send({ to: '+919000000001', text: 'आपका कोड', code: null, templateId })
    expect(carrier.sent.map(({ body }) => body)).toEqual([
      {
        sender: 'MGHDUT',
        route: '4',
        country: '91',
        DLT_TE_ID: '1207161234567890123',
        PE_ID: '1201159876543210987',
        sms: [{ message: 'plain\n123456', to: ['9000000001'] }],
      },
      expect.objectContaining({ unicode: 1 }),
    ])
    carrier.stop()
  })

  it('receives the template of each message, and no message without one', async () => {
    const { carrier, sender } = await msg91()
    await sender.send({ to: '+919000000001', text: 'one', code: null, templateId: '1207161111111111111' })
    expect(await sender.send({ to: '+919000000001', text: 'two', code: null, templateId: null })).toEqual({
      failed: 'no DLT template is registered for this message',
    })
    expect(carrier.sent.map(({ body }) => body['DLT_TE_ID'])).toEqual(['1207161111111111111'])
    carrier.stop()
  })

  it.each(['html', 'error 500', 'redirect', 'silence', 'reset'] as const)(
    'P16: a carrier that answers %s is a failure in time, not an error',
    async (how) => {
      const { carrier, sender } = await msg91(200)
      carrier.misbehave(how)
      expect(await sender.send({ to: '+919000000001', text: 'the code is 123456', code: '123456', templateId })).toEqual({
        failed: expect.stringMatching(/^MSG91/),
        mayBeSent: true,
      })
      carrier.stop()
    },
  )

  it('a wrong key and an unreachable carrier are failures too', async () => {
    const { carrier, options } = await msg91()
    const message = { to: '+919000000001', text: 'text', code: null, templateId }
    expect(await createMsg91({ ...options, authKey: 'other' }).send(message)).toEqual({ failed: 'MSG91 answered 401' })
    carrier.stop()
    const closed = `http://127.0.0.1:${await freePort()}`
    expect(await createMsg91({ ...options, baseUrl: closed }).send(message)).toEqual({ failed: 'MSG91 could not be reached: ECONNREFUSED' })
  })
})
