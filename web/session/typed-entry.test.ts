import { afterEach, expect, test } from 'vitest'
import * as z from 'zod/mini'
import type { User } from '#contract/auth.ts'
import { clearSession, expireSession, startSession } from './session.ts'
import { readTyped, rememberTyped } from './typed-entry.ts'

const seconds = () => Math.floor(Date.now() / 1000)
const names = { first_name: 'Ananya', last_name: 'Deshpande', phone: null, email: null, email_verified: false, pan: null }

function signIn(sub: string): void {
  const token = `h.${btoa(JSON.stringify({ sub, iat: seconds(), exp: seconds() + 60 }))}.s`
  const user: User = { user_id: sub, email: null, phone: null, pan: null, metadata: { ...names, is_ongoing_application: false } }
  startSession(token, user)
}

const schema = z.object({ reason: z.string() })
const entry = { reason: 'Ticket 48213' }

afterEach(clearSession)

// There is no sessionStorage in these tests: they use the fallback in memory.
test('what was typed when the session ended is there for the same person, at the same place', () => {
  signIn('u1')
  rememberTyped('proposal KST-1', entry)
  expireSession()
  clearSession()
  signIn('u1')
  expect(readTyped('proposal KST-1', schema)).toEqual(entry)
  expect(readTyped('proposal KST-2', schema)).toBeNull()
  expect(readTyped('proposal KST-1', z.object({ amount: z.string() }))).toBeNull()
})

test('another person finds nothing, and the first one nothing after that', () => {
  signIn('u1')
  rememberTyped('proposal KST-1', entry)
  expireSession()
  clearSession()
  for (const person of ['u2', 'u1']) {
    signIn(person)
    expect(readTyped('proposal KST-1', schema)).toBeNull()
  }
})

test('signing out forgets it', () => {
  signIn('u1')
  rememberTyped('proposal KST-1', entry)
  clearSession()
  signIn('u1')
  expect(readTyped('proposal KST-1', schema)).toBeNull()
})
