import { uuidv7 } from 'uuidv7'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { startApp, type App } from '#testkit/start-app.ts'
import { erase } from '#cli/commands/person.ts'
import { disable, unlock } from '#cli/commands/staff.ts'
import { minuteMs, hourMs, dayMs } from '#domain/durations.ts'
import { purgeExpired } from '../privacy/purge-expired.ts'
import { unnamedOperator } from '../staff/operator.ts'
import { forgetDevices } from './device-store.ts'
import { sendOwnCode } from './own-code.ts'
import { newAddress, signInSteps, strictSettings, type Answer, type From } from './sign-in.testing.ts'

let app: App
let steps: ReturnType<typeof signInSteps>
beforeAll(async () => {
  app = await startApp(inject('cluster'), { settings: strictSettings })
  steps = signInSteps(app)
})
afterAll(() => app.close())

const summarise = ({ status, body }: Answer) => [status, body.code ?? (body.token === undefined ? 'no token' : 'token')]
const sent = [200, 'no token']
const mismatch = [400, 'AuthInvalidOTPError']
const tooMany = [429, 'AuthTooManyAttemptsError']
const devicesOf = (userId: string) =>
  app.database.asSystem((sql) => sql.selectFrom('sign_in_devices').selectAll().where('user_id', '=', userId).execute())
const operatorContext = () => ({
  database: app.database,
  databaseUrl: app.databaseUrls.appUrl,
  ownerUrl: app.databaseUrls.ownerUrl,
  clock: app.clock,
  operator: unnamedOperator(),
})

/** Uses up all codes of a day for phones on unknown devices. */
async function useUpCodes(...phones: string[]): Promise<void> {
  for (let attempt = 0; attempt < 9; attempt++) {
    await app.clock.advance(hourMs)
    for (const phone of phones) await steps.login(phone)
  }
  for (const phone of phones) expect(summarise(await steps.login(phone))).toEqual(tooMany)
}

/**
 * Whether a device is known for a phone: only then does it get codes after the phone's own are used
 * up.
 */
async function isKnownDevice(phone: string, from: From): Promise<boolean> {
  const { status, body } = await steps.login(phone, from)
  if (status === 429) expect(body.code).toBe('AuthTooManyAttemptsError')
  return status === 200
}

/** What the access log says of each time that a person ended other sessions. */
const endedOf = async (userId: string) =>
  (
    await app.database.asSystem((sql) =>
      sql.selectFrom('access_log').select('detail').where('subject_id', '=', userId).where('action', '=', 'other_sessions_ended').execute(),
    )
  ).map(({ detail }) => detail)

describe('the device cookie', () => {
  it('is set only with a verified code, for the sign-in calls, hidden from scripts and other sites', async () => {
    const { phone } = await steps.addPerson()
    const { sessionToken, code, wrongCode } = await steps.receiveCode(phone)
    const wrong = await steps.verify(sessionToken, wrongCode)
    expect([wrong.status, wrong.headers.get('set-cookie')]).toEqual([400, null])
    const right = await steps.verify(sessionToken, code)
    expect(right.headers.get('set-cookie')).toMatch(
      /^kist_device=[\w-]{22}\.[0-9]+-[\w-]{43}; Path=\/api\/v1\/auth; Max-Age=15552000; HttpOnly; SameSite=Strict$/,
    )
    expect((await steps.login(phone)).headers.get('set-cookie')).toBeNull()
  })

  it('also limits the codes that its owner asks for during the session, to which the browser does not send it', async () => {
    const { userId, phone } = await steps.addPerson()
    const { sessionToken, code } = await steps.receiveCode(phone)
    await steps.verify(sessionToken, code)
    await useUpCodes(phone)
    const [session] = await app.database.asSystem((sql) => sql.selectFrom('sessions').selectAll().where('user_id', '=', userId).execute())
    const ask = (sessionId = '') =>
      sendOwnCode(app.context, { actorId: userId, sessionId }, { remoteAddress: newAddress(), userAgent: 'x', requestId: 'x', sessionId })
    await expect(ask(session?.session_id)).resolves.toMatchObject({ sessionToken: expect.any(String) as string })
    await expect(ask(uuidv7())).rejects.toMatchObject({ code: 'AuthTooManyAttemptsError' })
    await app.database.asSystem((sql) => forgetDevices(sql, userId, { except: null }, app.clock.now()))
    await expect(ask(session?.session_id)).rejects.toMatchObject({ code: 'AuthTooManyAttemptsError' })
  })

  it('is Secure where the origin is https', async () => {
    const secure = await startApp(inject('cluster'), { settings: { KIST_ORIGIN: 'https://loans.example' } })
    const { addPerson, receiveCode, verify } = signInSteps(secure)
    const { phone } = await addPerson()
    const { sessionToken, code } = await receiveCode(phone)
    expect((await verify(sessionToken, code)).headers.get('set-cookie')).toMatch(/; SameSite=Strict; Secure$/)
    await secure.close()
  })

  it('identifies nobody: neither the cookie nor its row has a phone or user id in clear text', async () => {
    const { phone, userId } = await steps.addPerson()
    const { device } = await steps.signInOn(phone)
    const decoded = device.split(/[.-]/).map((part) => Buffer.from(part, 'base64url').toString('latin1'))
    for (const text of [device, ...decoded]) for (const secret of [phone, phone.slice(3), userId]) expect(text).not.toContain(secret)
    const [row] = await devicesOf(userId)
    expect(JSON.stringify(row)).not.toContain(phone.slice(3))
    expect(row?.device_hash).toHaveLength(32)
  })

  it('authorises nothing by itself', async () => {
    const { phone } = await steps.addPerson()
    const { device } = await steps.signInOn(phone)
    for (const path of ['/auth/permissions', '/auth/sessions'])
      expect((await steps.call('GET', path, undefined, undefined, { device })).status).toBe(401)
    expect((await steps.call('DELETE', '/auth/sessions', undefined, undefined, { device })).status).toBe(401)
  })

  it('is never required: a person who loses it signs in as before on an unknown device', async () => {
    const { phone, userId } = await steps.addPerson()
    await steps.signInOn(phone)
    await app.clock.advance(minuteMs)
    await steps.signInOn(phone)
    expect(await devicesOf(userId)).toHaveLength(2)
  })

  it('is ignored if it is made up, truncated, or another person’s', async () => {
    const { phone } = await steps.addPerson()
    const other = await steps.addPerson()
    const { device } = await steps.signInOn(phone)
    const { device: others } = await steps.signInOn(other.phone)
    await useUpCodes(phone)
    const [id = '', proof = ''] = device.split('.')
    const [othersId = ''] = others.split('.')
    const later = proof.replace(/^[0-9]+/, (day) => String(Number(day) + 1))
    for (const made of [
      others,
      id,
      `${id}.`,
      `${othersId}.${proof}`,
      `${id}.${later}`,
      device.slice(0, -1),
      `${device}x`,
      '%00',
      '1'.repeat(4_000),
    ])
      expect([made, await isKnownDevice(phone, { device: made })]).toEqual([made, false])
    expect(await isKnownDevice(phone, { device })).toBe(true)
  })

  it('serves five phones on one browser, the latest; each phone’s device is its own', async () => {
    const people = await Promise.all(Array.from({ length: 6 }, () => steps.addPerson()))
    let device: string | undefined
    for (const { phone } of people) ({ device } = await steps.signInOn(phone, { device }))
    expect(device?.split('.')).toHaveLength(6)
    const hashes = await Promise.all(
      people.map(async ({ userId }) => (await devicesOf(userId)).map((row) => row.device_hash.toString('hex'))),
    )
    expect(new Set(hashes.flat()).size).toBe(6)
    await useUpCodes(...people.map(({ phone }) => phone))
    const known = []
    for (const { phone } of people) known.push(await isKnownDevice(phone, { device }))
    expect(known).toEqual([false, true, true, true, true, true])
  })

  it('is unknown once its person signed in on ten others after it', async () => {
    const { phone, userId } = await steps.addPerson()
    const signInOnNew = async (): Promise<string> => {
      // A phone has nine codes a day on unknown devices.
      await app.clock.advance(dayMs / 8)
      return (await steps.signInOn(phone)).device
    }
    const devices: string[] = []
    for (let count = 0; count < 10; count++) devices.push(await signInOnNew())
    const [first = '', second = '', ...others] = devices
    // It signs in again and is the latest.
    await steps.signInOn(phone, { device: second })
    devices.push(await signInOnNew())
    expect(await devicesOf(userId)).toHaveLength(10)
    const third = others.shift() ?? ''
    await useUpCodes(phone)
    expect(await isKnownDevice(phone, { device: first })).toBe(false)
    for (const device of [second, third]) expect(await isKnownDevice(phone, { device })).toBe(true)
  })

  it('of many waits for no lock of another one, and the next sign-in makes it unknown', async () => {
    const { phone, userId } = await steps.addPerson()
    const signInOnNew = async (): Promise<void> => {
      await app.clock.advance(dayMs / 8)
      await steps.signInOn(phone)
    }
    for (let count = 0; count < 10; count++) await signInOnNew()
    await app.database.asSystem(async (sql) => {
      await sql.selectFrom('sign_in_devices').selectAll().where('user_id', '=', userId).forUpdate().execute()
      await signInOnNew()
    })
    expect(await devicesOf(userId)).toHaveLength(11)
    await signInOnNew()
    expect(await devicesOf(userId)).toHaveLength(10)
  })

  it('lasts 180 days from the last sign-in; then its row goes too', async () => {
    const { phone, userId } = await steps.addPerson()
    const { device } = await steps.signInOn(phone)
    await app.clock.advance(178 * dayMs)
    const again = await steps.signInOn(phone, { device })
    expect(again.device.split('.')[0]).toBe(device.split('.')[0])
    expect(await devicesOf(userId)).toHaveLength(1)
    await app.clock.advance(178 * dayMs)
    await useUpCodes(phone)
    expect(await isKnownDevice(phone, { device: again.device })).toBe(true)
    await app.clock.advance(3 * dayMs)
    await useUpCodes(phone)
    expect(await isKnownDevice(phone, { device: again.device })).toBe(false)
    await purgeExpired(app.context)
    expect(await devicesOf(userId)).toEqual([])
  })

  it('is invalid when the phone belongs to another person or the person’s phone changes', async () => {
    const { phone, userId } = await steps.addPerson()
    const { device } = await steps.signInOn(phone)
    const newPhone = `${phone.slice(0, -7)}9${phone.slice(-6)}`
    await app.database.asSystem(async (sql) => {
      await sql.updateTable('users').set({ phone: newPhone }).where('user_id', '=', userId).execute()
      await sql.insertInto('user_phones').values({ phone: newPhone, user_id: userId }).execute()
    })
    await useUpCodes(newPhone)
    expect(await isKnownDevice(newPhone, { device })).toBe(false)
  })

  it('is invalid, and its row deleted, once the person is erased or the staff member disabled', async () => {
    const person = await steps.addPerson()
    const staff = await steps.addPerson({ kind: 'staff' })
    await steps.signInOn(person.phone)
    await steps.signInOn(staff.phone)
    expect(await erase(operatorContext(), person.phone, app.context.storage)).toMatch(/^erased: /)
    expect(await disable(operatorContext(), staff.phone)).toMatch(/^disabled: /)
    expect([await devicesOf(person.userId), await devicesOf(staff.userId)]).toEqual([[], []])
  })

  it('is invalid once all sessions were ended from another device, which stays known', async () => {
    const { phone } = await steps.addPerson()
    const lost = await steps.signInOn(phone)
    await app.clock.advance(minuteMs)
    const own = await steps.signInOn(phone)
    const { status, body } = await steps.call('DELETE', '/auth/sessions', undefined, `Bearer ${own.token}`, { device: own.device })
    expect([status, body.success]).toEqual([200, true])
    await useUpCodes(phone)
    expect(await isKnownDevice(phone, { device: lost.device })).toBe(false)
    expect(await isKnownDevice(phone, { device: own.device })).toBe(true)
  })

  it('with all sessions ended, also ends the codes that were asked for there; its limits do not begin anew', async () => {
    const { phone } = await steps.addPerson()
    const { device, token } = await steps.signInOn(phone)
    const { sessionToken, code } = await steps.receiveCode(phone, { device })
    expect((await steps.call('DELETE', '/auth/sessions', undefined, `Bearer ${token}`)).status).toBe(200)
    expect(summarise(await steps.verify(sessionToken, code, { device }))).toEqual(mismatch)
  })

  it('with all sessions ended, also ends a code that somebody asked for on a device that was never known', async () => {
    const { phone, userId } = await steps.addPerson()
    const { device, token } = await steps.signInOn(phone)
    await app.clock.advance(minuteMs)
    const { sessionToken, code } = await steps.receiveCode(phone)
    const { body } = await steps.call('DELETE', '/auth/sessions', undefined, `Bearer ${token}`, { device })
    expect(body).toMatchObject({ success: true, ended: 0 })
    expect(await endedOf(userId)).toEqual([{ ended: 0, devices: 0, codes: 1 }])
    expect(summarise(await steps.verify(sessionToken, code))).toEqual(mismatch)
  })

  it('is written down when it becomes unknown, also where no other session was open', async () => {
    const { phone, userId } = await steps.addPerson()
    const { token } = await steps.signInOn(phone)
    // A copied token has no cookie: the person's own device is forgotten too.
    await steps.call('DELETE', '/auth/sessions', undefined, `Bearer ${token}`)
    expect(await endedOf(userId)).toEqual([{ ended: 0, devices: 1, codes: 0 }])
    await steps.call('DELETE', '/auth/sessions', undefined, `Bearer ${token}`)
    expect(await endedOf(userId)).toHaveLength(1)
  })
})

describe('a known device', () => {
  it('can sign in whatever others do to its phone: all codes of a day requested, and a hundred wrong guesses', async () => {
    const { phone } = await steps.addPerson()
    const { device } = await steps.signInOn(phone)
    await app.clock.advance(hourMs)
    await app.database.asSystem((sql) => sql.updateTable('sign_in_phones').set({ failures: 99 }).where('phone', '=', phone).execute())
    const { sessionToken, wrongCode } = await steps.receiveCode(phone)
    expect(summarise(await steps.verify(sessionToken, wrongCode))).toEqual(mismatch)
    await app.clock.advance(dayMs)
    expect(summarise(await steps.login(phone))).toEqual(tooMany)
    expect((await steps.signInOn(phone, { device })).token).toEqual(expect.any(String))
    // Its sign-in does not clear the failures of unknown devices: only an operator unlocks those.
    expect(summarise(await steps.login(phone))).toEqual(tooMany)
    expect(await unlock(operatorContext(), phone)).toMatch(/^unlocked/)
    await steps.signIn(phone)
  })

  it('keeps its code while others request one, and is not delayed by them', async () => {
    const { phone } = await steps.addPerson()
    const { device } = await steps.signInOn(phone)
    await app.clock.advance(hourMs)
    const own = await steps.receiveCode(phone, { device })
    expect(summarise(await steps.login(phone))).toEqual(sent)
    expect(summarise(await steps.verify(own.sessionToken, own.code, { device }))).toEqual([200, 'token'])
  })

  it('gets an answer in a network that has used up its answers', async () => {
    const { phone } = await steps.addPerson()
    const { device } = await steps.signInOn(phone)
    const address = newAddress()
    for (let attempt = 0; attempt < 10; attempt++) expect((await steps.login('+917000000000', { address })).status).toBe(404)
    expect(summarise(await steps.login(phone, { address }))).toEqual(tooMany)
    expect(summarise(await steps.login(phone, { address, device }))).toEqual(sent)
  })

  it('gets 5 codes an hour and 10 a day, concurrently or one after the other', async () => {
    const { phone } = await steps.addPerson()
    const { device } = await steps.signInOn(phone)
    const address = newAddress()
    const answers = []
    for (let attempt = 0; attempt < 12; attempt++) {
      const pair = await Promise.all([steps.login(phone, { device, address }), steps.login(phone, { device, address })])
      answers.push(pair.filter(({ status }) => status === 200).length)
      await app.clock.advance(attempt === 5 ? 50 * minuteMs : 2 * minuteMs + 1_000)
    }
    expect(answers).toEqual([1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0])
    await app.clock.advance(hourMs)
    expect(summarise(await steps.login(phone, { device, address }))).toEqual(tooMany)
    await app.clock.advance(dayMs)
    expect(summarise(await steps.login(phone, { device, address }))).toEqual(sent)
  })

  it('has 5 tries per code, and ten failures in a row lock it but not the phone', async () => {
    const { phone } = await steps.addPerson()
    const { device } = await steps.signInOn(phone)
    for (let code = 0; code < 2; code++) {
      await app.clock.advance(hourMs)
      const { sessionToken, wrongCode } = await steps.receiveCode(phone, { device })
      const answers = await Promise.all(Array.from({ length: 8 }, () => steps.verify(sessionToken, wrongCode, { device })))
      expect(answers.filter(({ body }) => body.code === 'AuthInvalidOTPError')).toHaveLength(5)
    }
    expect(summarise(await steps.login(phone, { device }))).toEqual(tooMany)
    await steps.signIn(phone)
    await app.clock.advance(15 * minuteMs)
    await steps.signInOn(phone, { device })
  })

  it('is unlocked with its phone', async () => {
    const { phone, userId } = await steps.addPerson()
    const { device } = await steps.signInOn(phone)
    await app.database.asSystem((sql) => sql.updateTable('sign_in_devices').set({ failures: 100 }).where('user_id', '=', userId).execute())
    expect(summarise(await steps.login(phone, { device }))).toEqual(tooMany)
    expect(await unlock(operatorContext(), phone)).toMatch(/^unlocked/)
    expect(summarise(await steps.login(phone, { device }))).toEqual(sent)
  })

  it('counts an expired code’s successor as its own', async () => {
    const { phone } = await steps.addPerson()
    const { device } = await steps.signInOn(phone)
    await app.clock.advance(hourMs)
    const { sessionToken, code } = await steps.receiveCode(phone, { device })
    await app.clock.advance(5 * minuteMs)
    await app.database.asSystem((sql) => sql.updateTable('sign_in_phones').set({ failures: 100 }).where('phone', '=', phone).execute())
    const { status, body } = await steps.verify(sessionToken, code, { device })
    expect([status, body.resend_after_seconds]).toEqual([200, 60])
    expect(summarise(await steps.verify(body.session_token, steps.readCode(phone).code))).toEqual([200, 'token'])
  })

  it('of staff is unknown until they signed in there once', async () => {
    const { phone } = await steps.addPerson({ kind: 'staff', roles: ['tech/assume'], permissions: ['user:assume'] })
    await useUpCodes(phone)
    expect(await unlock(operatorContext(), phone)).toMatch(/^unlocked/)
    const { device } = await steps.signInOn(phone)
    await app.clock.advance(dayMs)
    await useUpCodes(phone)
    expect(await isKnownDevice(phone, { device })).toBe(true)
  })

  it('has the demo’s limits there, like every other device', async () => {
    const demo = await startApp(inject('cluster'), { settings: { KIST_LIMITS: 'demo' } })
    const own = signInSteps(demo)
    const { phone } = await own.addPerson()
    let device: string | undefined
    for (let signIn = 0; signIn < 12; signIn++) ({ device } = await own.signInOn(phone, { device }))
    expect((await own.login(phone, { device })).status).toBe(200)
    // On a slow machine the wait since the first such code may be over: then this sends another.
    await own.login(phone)
    expect((await own.login(phone)).body.code).toBe('AuthResendTooSoon')
    await demo.close()
  })
})
