import { afterEach, expect, test, vi } from 'vitest'
import type { User } from '#contract/auth.ts'
import { bearer } from '#web/api/call.ts'
import { readStored, storageKeys, writeStored } from '#web/storage.ts'
import {
  clearSession,
  expireSession,
  getSession,
  initSession,
  isSignedIn,
  getLoginPath,
  rereadSession,
  startSession,
  subscribeSession,
} from './session.ts'
import { getStaffListHref, leaveStaffList } from './staff-list.ts'

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

afterEach(() => {
  clearSession()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

// There is no localStorage in these tests: they use the fallback in memory.
test('a new session is kept, and is the one calls carry', () => {
  const its = token({})
  startSession(its, user)
  expect(getSession()).toMatchObject({ token: its, user })
  expect(bearer.token).toBe(its)
  initSession()
  expect(getSession().token).toBe(its)
})

test('an awaited code is forgotten when somebody signs in, also in another tab, and at logout', () => {
  const remember = () => writeStored(storageKeys.sentCode, '{}', 'sessionStorage')
  const isKept = () => readStored(storageKeys.sentCode, 'sessionStorage') !== null
  remember()
  startSession(token({}), user)
  expect(isKept()).toBe(false)
  remember()
  initSession()
  expect(isKept()).toBe(false)
  remember()
  clearSession()
  expect(isKept()).toBe(false)
  remember()
  initSession()
  expect(isKept()).toBe(true)
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

test('the token is written last: who hears of it finds the person and the arrival that belong to it', () => {
  const written: string[] = []
  const kept = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => {
      written.push(key)
      kept.set(key, value)
    },
    removeItem: (key: string) => kept.delete(key),
  })
  startSession(token({}), user)
  expect(written.at(-1)).toBe('token')
  expect(written).toEqual(expect.arrayContaining(['tokenReceivedAt', 'userData']))
})

const recordEvents = (act: () => void): string[] => {
  const events: string[] = []
  const stop = subscribeSession((event) => events.push(event))
  act()
  stop()
  return events
}

test.each([
  ['the same person’s new token', { sub: 'u1', sid: 'another' }, 'refresh', false],
  ['another person’s token', { sub: 'u2' }, 'init', true],
  ['a token that acts for a borrower', { sub: 'u1', assumed_user_id: 'b1' }, 'init', true],
  ['no token', null, 'reset', true],
] as const)('%s, stored by another tab', (_what, claims, event, isOther) => {
  startSession(token({}), user)
  writeStored(storageKeys.token, claims && token(claims))
  let other: boolean | null = null
  expect(
    recordEvents(() => {
      other = rereadSession()
    }),
  ).toEqual([event])
  expect(other).toBe(isOther)
  expect(getSession().claims?.sub ?? null).toBe(claims?.sub ?? null)
})

test('when another tab signs out, the next staff member does not get this one’s search', () => {
  startSession(token({}), user)
  leaveStaffList({ href: '/users?search=rao', scrollY: 0, tableScrollTop: 0, userId: 'b1' })
  writeStored(storageKeys.token, token({ sub: 'u1', assumed_user_id: 'b1' }))
  rereadSession()
  expect(getStaffListHref()).toBe('/users?search=rao')
  writeStored(storageKeys.token, null)
  rereadSession()
  expect(getStaffListHref()).toBeNull()
})

test('reading again what is known already changes nothing', () => {
  startSession(token({}), user)
  expect(recordEvents(() => rereadSession())).toEqual([])
})

test('a token that has run out meanwhile opens the modal', () => {
  vi.useFakeTimers()
  startSession(token({}), user)
  vi.advanceTimersByTime(60_000)
  expect(rereadSession()).toBe(false)
  expect(getSession()).toMatchObject({ expired: true, user })
})

test('clearing forgets everything', () => {
  startSession(token({}), user)
  clearSession()
  expect(getSession()).toMatchObject({ token: null, user: null, claims: null })
  expect(bearer.token).toBeNull()
  initSession()
  expect(isSignedIn()).toBe(false)
})

test('a session runs out by itself', () => {
  vi.useFakeTimers()
  startSession(token({}), user)
  expect(isSignedIn()).toBe(true)
  vi.advanceTimersByTime(60_000)
  expect(isSignedIn()).toBe(false)
})

test('the login page follows the role, of an expired token too', () => {
  expect(getLoginPath()).toBe('/login')
  startSession(token({}), user)
  expect(getLoginPath()).toBe('/login')
  startSession(token({ roles: 'tech/assume' }), user)
  expect(getLoginPath()).toBe('/admin/login')
  startSession(token({ roles: ['tech/assume'], iat: 1, exp: 1 }), user)
  expect(isSignedIn()).toBe(false)
  expect(getLoginPath()).toBe('/admin/login')
})

test('a refused token opens the modal and leaves the page as it is', () => {
  startSession(token({}), user)
  expireSession()
  expect(getSession()).toMatchObject({ expired: true, user })
})
