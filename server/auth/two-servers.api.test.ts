import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { apiPrefix, type Endpoint } from '#contract/endpoint.ts'
import * as contract from '#contract/index.ts'
import { serve, type Server } from '#server/serve.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { startApp, type App } from '#testkit/start-app.ts'

/**
 * A session that is ended or restricted on one server is so on the other at the very next request.
 */

let app: App
let second: Server
beforeAll(async () => {
  app = await startApp(inject('cluster'), { town: true })
  second = await serve({
    config: app.context.config,
    clock: app.clock,
    databaseUrl: app.databaseUrls.appUrl,
    razorpayBaseUrl: app.sandboxUrl,
    log: pino({ level: 'silent' }),
    printSms: () => {},
  })
})
afterAll(async () => {
  await second.close()
  await app.close()
})

const calls = Object.entries<Endpoint>(contract).filter(([, call]) => call.access !== 'public')

async function onSecond(call: Endpoint, token: string): Promise<number> {
  const path = call.path.replace(/:[a-z_]+/g, '01a1f81f-8513-76ab-afdd-800899bf1f85')
  const response = await fetch(`http://127.0.0.1:${second.port}${apiPrefix}${path}`, {
    method: call.method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(call.method !== 'GET' && { body: '{}' }),
  })
  await response.arrayBuffer()
  return response.status
}

const statusesOf = (token: string) => Promise.all(calls.map(async ([name, call]) => [name, await onSecond(call, token)] as const))
const change = (phone: string, set: { disabled_at: Date } | { roles: string[]; permissions: string[] }) =>
  app.database.asSystem((sql) => sql.updateTable('users').set(set).where('phone', '=', phone).execute())

describe('on another server', () => {
  it('S08: a signed-out session is refused by every call', async () => {
    const token = await app.signIn(demoPhone(1))
    expect(await onSecond(contract.readLoansSummary, token)).toBe(200)
    await app.post('/auth/logout', {}, token)
    for (const [name, status] of await statusesOf(token)) expect([name, status]).toEqual([name, 401])
  })
  it('S09: a disabled person has no session left for any call', async () => {
    const token = await app.signIn(demoPhone(5))
    expect(await onSecond(contract.readLoansSummary, token)).toBe(200)
    await change(demoPhone(5), { disabled_at: app.clock.now() })
    for (const [name, status] of await statusesOf(token)) expect([name, status]).toEqual([name, 401])
  })
  it('S09, I06: staff without their role can no longer make staff calls', async () => {
    const token = await app.signIn(demoPhone(9))
    expect(await onSecond(contract.listUsers, token)).toBe(200)
    await change(demoPhone(9), { roles: [], permissions: [] })
    for (const call of [contract.listUsers, contract.assume, contract.endAssume]) expect(await onSecond(call, token)).toBe(401)
  })
})
