import { describe, expect, test } from 'vitest'
import type { User } from '#contract/auth.ts'
import { authReducer, readClaims, signedOut, type Stored } from './auth-state.ts'
import { getIdentity, isAssuming, isExpired, isStaff, getRoles } from './claims.ts'

const token = (claims: object): string => `h.${btoa(JSON.stringify(claims)).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '')}.s`

const user = { user_id: 'u1', metadata: { first_name: 'अनन्या' } } as User
const now = 1_000_000_000_000
const getNowSeconds = now / 1000
const borrower = token({ sub: 'u1', roles: [], exp: getNowSeconds + 60 })
const stored: Stored = { token: borrower, user, receivedAtMs: null }
const nothing: Stored = { token: null, user: null, receivedAtMs: null }

const signedIn = authReducer(signedOut, { type: 'init', stored, nowMs: now })

describe('the auth state', () => {
  test('init reads token, contents and person', () => {
    expect(signedIn).toEqual({ token: borrower, user, claims: { sub: 'u1', roles: [], exp: getNowSeconds + 60 }, expired: false })
  })
  test('init with nothing stored is signed out', () => {
    expect(authReducer(signedIn, { type: 'init', stored: nothing, nowMs: now })).toEqual(signedOut)
  })
  test.each(['refresh', 'reset'] as const)('a %s re-reads token and person', (type) => {
    const other = token({ sub: 'u2', exp: getNowSeconds + 60 })
    const read = authReducer(signedIn, { type, stored: { ...stored, token: other }, nowMs: now })
    expect(read).toMatchObject({ token: other, claims: { sub: 'u2' } })
  })
  test('a refused token opens the modal, until there is another session', () => {
    const expired = authReducer(signedIn, { type: 'expired' })
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
    expect(getRoles(readClaims(token({ sub: 's', exp: 1, roles })))).toEqual(list)
  })
  test('staff, and staff as a borrower', () => {
    expect(isStaff(readClaims(token({ sub: 's', exp: 1, roles: 'tech/assume' })))).toBe(true)
    expect(isStaff(readClaims(borrower))).toBe(false)
    expect(isAssuming(readClaims(token({ sub: 's', exp: 1, assumed_user_id: 'u1' })))).toBe(true)
    expect(isAssuming(readClaims(token({ sub: 's', exp: 1, assumed_user_id: null })))).toBe(false)
  })
  test('is of one identity with another of the same person who acts for the same borrower', () => {
    const of = (claims: object) => getIdentity(readClaims(token({ exp: 1, ...claims })))
    expect(of({ sub: 's', sid: 'a' })).toBe(of({ sub: 's', sid: 'b' }))
    expect(of({ sub: 's' })).not.toBe(of({ sub: 't' }))
    expect(of({ sub: 's' })).not.toBe(of({ sub: 's', assumed_user_id: 'b1' }))
    expect(of({ sub: 's', assumed_user_id: 'b1' })).not.toBe(of({ sub: 's', assumed_user_id: 'b2' }))
    expect(getIdentity(null)).toBeNull()
  })
  test('on a phone with a wrong clock the lifetime counts from when the token came', () => {
    const claims = { sub: 's', iat: 1000, exp: 1060 }
    expect(isExpired(claims, now, now + 59_000)).toBe(false)
    expect(isExpired(claims, now, now + 60_000)).toBe(true)
    expect(isExpired(claims, null, 1_059_000)).toBe(false)
    expect(isExpired(claims, null, 1_060_000)).toBe(true)
  })
})
