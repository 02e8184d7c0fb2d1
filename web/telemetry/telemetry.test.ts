import { SESSION_EXPIRATION_TIME, SESSION_INACTIVITY_TIME } from '@grafana/faro-web-sdk'
import { TracingInstrumentation } from '@grafana/faro-web-tracing'
import { describe, expect, test } from 'vitest'
import type { Claims } from '#web/session/claims.ts'
import { batching, hashId, buildTelemetryUser, redactSecrets } from './telemetry.ts'

describe('the figures of spec §9', () => {
  test('a batch has 30 items and is sent each second', () => {
    expect(batching).toEqual({ enabled: true, sendTimeout: 1000, itemLimit: 30 })
    expect(TracingInstrumentation.SCHEDULED_BATCH_DELAY_MS).toBe(1000)
  })
  test('a session lasts at most 4 hours, and 15 minutes without activity', () => {
    expect([SESSION_EXPIRATION_TIME, SESSION_INACTIVITY_TIME]).toEqual([4 * 3_600_000, 15 * 60_000])
  })
})

describe('who is reported', () => {
  const claims = (more: Partial<Claims> = {}): Claims => ({ sub: 'u-1', roles: ['borrower', 'beta'], exp: 0, sid: 's', ...more }) as Claims
  const user = {
    user_id: 'u-1',
    email: 'nisha@example.in',
    phone: '+919876543210',
    pan: 'ABCPE1234F',
    metadata: {
      first_name: 'Nisha',
      last_name: 'Verma',
      phone: '+919876543210',
      email: 'nisha@example.in',
      email_verified: true,
      pan: 'ABCPE1234F',
      is_ongoing_application: false,
    },
  }
  const named = { actor: null, anonymous: false, hash: 'abc' }

  test('a borrower, with the six attributes of the spec and nothing else', () => {
    expect(buildTelemetryUser({ claims: claims(), user }, named)).toEqual({
      id: 'u-1',
      username: 'Nisha',
      fullName: 'Nisha Verma',
      roles: 'borrower,beta',
      hash: 'abc',
      email: 'nisha@example.in',
    })
  })
  test('no name and no e-mail where the lender wants none', () => {
    expect(buildTelemetryUser({ claims: claims(), user }, { ...named, anonymous: true })).toEqual({
      id: 'u-1',
      roles: 'borrower,beta',
      hash: 'abc',
    })
  })
  test('reports staff who act for a borrower, without data of the borrower', () => {
    const assumed = { claims: claims({ sub: 'staff-9', roles: 'tech/assume', assumed_user_id: 'u-1' }), user }
    const actor = { user_id: 'staff-9', first_name: 'Imran', last_name: 'Qureshi', email: 'imran@example.in' }
    expect(buildTelemetryUser(assumed, { ...named, actor })).toEqual({
      id: 'staff-9',
      username: 'Imran',
      fullName: 'Imran Qureshi',
      roles: 'tech/assume',
      hash: 'abc',
      email: 'imran@example.in',
    })
    expect(buildTelemetryUser(assumed, named)).toEqual({ id: 'staff-9', roles: 'tech/assume', hash: 'abc' })
  })
  test('nobody, when nobody is signed in', () => {
    expect(buildTelemetryUser({ claims: null, user: null }, named)).toBeUndefined()
  })
  test('the hash is the same for the same id', async () => {
    Reflect.set(globalThis, 'isSecureContext', true)
    expect(await hashId('u-1')).toMatch(/^[0-9a-f]{64}$/)
    expect(await hashId('u-1')).toBe(await hashId('u-1'))
    Reflect.deleteProperty(globalThis, 'isSecureContext')
  })
})

describe('what leaves the browser', () => {
  test.each([
    ['https://a.example/users?search=ABCPE1234F&page=2', 'https://a.example/users'],
    ['/api/v1/portal/repayment-schedule?lead_id=LEAD-1', '/api/v1/portal/repayment-schedule'],
    ['https://a.example/users#x', 'https://a.example/users'],
    ['no such PAN: abcpe1234f', 'no such PAN: …'],
    ['called 9876543210 and +91 98765 43210', 'called … and …'],
    ['called 09876543210 and +919876543210, pays by asha@okaxis', 'called … and …, pays by …'],
  ])('%s', (text, left) => {
    expect(redactSecrets({ attributes: [{ value: { stringValue: text } }] })).toEqual({ attributes: [{ value: { stringValue: left } }] })
  })
  test('ids and times of spans stay', () => {
    const span = { traceId: '8f3a9876543210aa8f3a9876543210aa', startTimeUnixNano: '1763600000123000000', count: 9876543210, none: null }
    expect(redactSecrets(span)).toEqual(span)
  })
})
