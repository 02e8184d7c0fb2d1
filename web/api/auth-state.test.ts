import { describe, expect, test } from 'vitest'
import type { User } from '#contract/auth.ts'
import { authReducer, isAssuming, isExpired, isStaff, readClaims, rolesOf, signedOut, type AuthState, type Stored } from './auth-state.ts'

const token = (claims: object): string => `h.${btoa(JSON.stringify(claims)).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '')}.s`

const user = { user_id: 'u1', metadata: { first_name: 'अनन्या' } } as User
const now = 1_000_000_000_000
const nowSeconds = now / 1000
const borrower = token({ sub: 'u1', roles: [], exp: nowSeconds + 60 })
const stored: Stored = { token: borrower, user, receivedAtMs: null }
const nothing: Stored = { token: null, user: null, receivedAtMs: null }

const signedIn = authReducer(signedOut, { type: 'init', stored, nowMs: now })
const permitted: AuthState = authReducer(signedIn, { type: 'permissions_loaded', permissions: ['document:read'] })

describe('the auth state', () => {
  test('init reads token, contents and person; permissions start empty and not loading', () => {
    expect(signedIn).toMatchObject({
      token: borrower,
      user,
      claims: { sub: 'u1' },
      permissions: [],
      permissionsLoading: false,
      expired: false,
    })
  })
  test('init with nothing stored is signed out', () => {
    expect(authReducer(permitted, { type: 'init', stored: nothing, nowMs: now })).toEqual(signedOut)
  })
  test('permissions load', () => {
    const loading = authReducer(signedIn, { type: 'permissions_requested' })
    expect(loading.permissionsLoading).toBe(true)
    expect(authReducer(loading, { type: 'permissions_loaded', permissions: ['loan:update'] })).toMatchObject({
      permissions: ['loan:update'],
      permissionsLoading: false,
    })
    expect(authReducer(loading, { type: 'permissions_failed' })).toMatchObject({ permissions: [], permissionsLoading: false })
  })
  test('a refresh re-reads token and person and keeps the permissions', () => {
    const other = token({ sub: 'u2', exp: nowSeconds + 60 })
    const refreshed = authReducer(permitted, { type: 'refresh', stored: { ...stored, token: other }, nowMs: now })
    expect(refreshed).toMatchObject({ token: other, claims: { sub: 'u2' }, permissions: ['document:read'] })
  })
  test('a reset re-reads everything and clears the permissions', () => {
    expect(authReducer(permitted, { type: 'reset', stored, nowMs: now })).toMatchObject({ token: borrower, permissions: [] })
  })
  test('a refused token opens the modal, until there is another session', () => {
    const expired = authReducer(permitted, { type: 'expired' })
    expect(expired.expired).toBe(true)
    expect(authReducer(expired, { type: 'refresh', stored, nowMs: now }).expired).toBe(false)
    expect(authReducer(signedOut, { type: 'expired' }).expired).toBe(false)
  })
  test('an expired token counts as none', () => {
    expect(authReducer(signedOut, { type: 'init', stored, nowMs: now + 60_000 })).toEqual(signedOut)
  })
})

describe('the token', () => {
  test.each([null, '', 'x', 'a.b.c', `a.${btoa('{}')}.c`, `a.${btoa('"x"')}.c`])('%j is none', (text) => {
    expect(readClaims(text)).toBeNull()
  })
  test.each([
    [
      ['tech/assume', 'other'],
      ['tech/assume', 'other'],
    ],
    ['tech/assume, other', ['tech/assume', 'other']],
    ['', []],
    [undefined, []],
  ])('roles %j', (roles, list) => {
    expect(rolesOf(readClaims(token({ sub: 's', exp: 1, roles })))).toEqual(list)
  })
  test('staff, and staff as a borrower', () => {
    expect(isStaff(readClaims(token({ sub: 's', exp: 1, roles: 'tech/assume' })))).toBe(true)
    expect(isStaff(readClaims(borrower))).toBe(false)
    expect(isAssuming(readClaims(token({ sub: 's', exp: 1, assumed_user_id: 'u1' })))).toBe(true)
    expect(isAssuming(readClaims(token({ sub: 's', exp: 1, assumed_user_id: null })))).toBe(false)
  })
  test('on a phone with a wrong clock the lifetime counts from when the token came', () => {
    const claims = { sub: 's', iat: 1000, exp: 1060 }
    expect(isExpired(claims, now, now + 59_000)).toBe(false)
    expect(isExpired(claims, now, now + 60_000)).toBe(true)
    expect(isExpired(claims, null, 1_059_000)).toBe(false)
    expect(isExpired(claims, null, 1_060_000)).toBe(true)
  })
})
