import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { User } from '#contract/auth.ts'
import { readStored, storageKeys, writeStored } from '#web/storage.ts'
import { bearer } from './bearer.ts'
import { clearSession, expireSession, getSession, initSession, isSignedIn, loginPath, startSession } from './session.ts'

const seconds = () => Math.floor(Date.now() / 1000)
const token = (claims: object) => `h.${btoa(JSON.stringify({ sub: 'u1', iat: seconds(), exp: seconds() + 60, ...claims }))}.s`

const user: User = {
  user_id: 'u1',
  email: null,
  phone: '+919000000001',
  pan: null,
  metadata: {
    first_name: 'Ananya',
    last_name: 'Deshpande',
    phone: null,
    email: null,
    email_verified: false,
    pan: null,
    is_ongoing_application: false,
  },
}

const settled = () => vi.waitFor(() => expect(getSession().permissionsLoading).toBe(false))

beforeEach(() => {
  vi.stubGlobal(
    'fetch',
    vi.fn(async () => new Response(JSON.stringify(['payment_link:create']))),
  )
})
afterEach(() => {
  clearSession()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

// The tests run where there is no localStorage at all: the memory that stands in for a blocked one is what they use.
test('a new session is kept, is the one calls carry, and asks what it may do', async () => {
  const its = token({})
  startSession(its, user)
  expect(getSession()).toMatchObject({ token: its, user, permissionsLoading: true })
  expect(bearer.token).toBe(its)
  await settled()
  expect(getSession().permissions).toEqual(['payment_link:create'])
  initSession()
  expect(getSession().token).toBe(its)
})

test('the PAN is stored masked, in both of its fields', () => {
  startSession(token({}), { ...user, pan: 'ABCPE1234F', metadata: { ...user.metadata, pan: 'ABCPE1234F' } })
  const stored = readStored(storageKeys.userData) ?? ''
  expect(stored).not.toContain('1234')
  expect(JSON.parse(stored)).toMatchObject({ pan: 'ABCPE****F', metadata: { pan: 'ABCPE****F', first_name: 'Ananya' } })
  expect(getSession().user).toMatchObject({ pan: 'ABCPE****F', metadata: { pan: 'ABCPE****F' } })
})

test('a whole PAN that an earlier version stored is masked at the start', () => {
  writeStored(storageKeys.userData, JSON.stringify({ ...user, pan: 'ABCPE1234F', metadata: { ...user.metadata, pan: 'ABCPE1234F' } }))
  initSession()
  expect(readStored(storageKeys.userData)).not.toContain('1234')
})

test('clearing forgets everything', () => {
  startSession(token({}), user)
  clearSession()
  expect(getSession()).toMatchObject({ token: null, user: null, claims: null, permissions: [] })
  expect(bearer.token).toBeNull()
  initSession()
  expect(isSignedIn()).toBe(false)
})

test('who has no permission list is permitted nothing', async () => {
  vi.stubGlobal(
    'fetch',
    vi.fn(async () => new Response('', { status: 500 })),
  )
  startSession(token({}), user)
  await settled()
  expect(getSession().permissions).toEqual([])
})

test('a session runs out by itself', () => {
  vi.useFakeTimers()
  startSession(token({}), user)
  expect(isSignedIn()).toBe(true)
  vi.advanceTimersByTime(60_000)
  expect(isSignedIn()).toBe(false)
})

test('the login page follows the role, of an expired token too', () => {
  expect(loginPath()).toBe('/login')
  startSession(token({}), user)
  expect(loginPath()).toBe('/login')
  startSession(token({ roles: 'tech/assume' }), user)
  expect(loginPath()).toBe('/admin/login')
  startSession(token({ roles: ['tech/assume'], iat: 1, exp: 1 }), user)
  expect(isSignedIn()).toBe(false)
  expect(loginPath()).toBe('/admin/login')
})

test('a refused token opens the modal and leaves the page as it is', () => {
  startSession(token({}), user)
  expireSession()
  expect(getSession()).toMatchObject({ expired: true, user })
})
