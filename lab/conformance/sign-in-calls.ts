import { done, pathTo, type Call } from './call.ts'
import { claims, problem, user } from './entities.ts'
import { exactly, object, text } from './shape.ts'
import { countMessages, kept, nextCode, type Visit } from './visit.ts'

export const refusedSignIns: readonly Call[] = [
  pathTo('/auth/login', {
    method: 'POST',
    when: 'a number that nobody has',
    isOpen: true,
    body: () => ({ phone: '+919000000099' }),
    status: 404,
    answer: problem(404, 'AuthUserNotFoundError'),
  }),
  requestCode('to be typed wrongly', (visit) => visit.phone),
  pathTo('/auth/verify', {
    method: 'POST',
    when: 'a wrong code',
    isOpen: true,
    body: (visit) => ({ session_token: kept(visit, 'session'), otp: kept(visit, 'code') === '000000' ? '000001' : '000000' }),
    status: 400,
    answer: problem(400, 'AuthInvalidOTPError'),
  }),
]

/** Verifies the last requested code. */
export const verify = (when: string): Call =>
  pathTo('/auth/verify', {
    method: 'POST',
    when,
    isOpen: true,
    body: (visit) => ({ session_token: kept(visit, 'session'), otp: kept(visit, 'code') }),
    answer: object({ token: bearerToken, user }),
    keep: (body, visit) => {
      visit.token = String(body['token'])
      visit.kept.set('me', (body['user'] as { user_id: string }).user_id)
    },
  })

export function requestCode(when: string, phone: (visit: Visit) => string): Call {
  return pathTo('/auth/login', {
    method: 'POST',
    when,
    isOpen: true,
    before: async (visit) => void visit.kept.set('messages', String(countMessages(visit, phone(visit)))),
    body: (visit) => ({ phone: `+91${phone(visit)}` }),
    // 'session, or session_token' (§3): both fields must exist.
    answer: object({ session: text, session_token: text }),
    keep: async (body, visit) => {
      visit.kept.set('session', String(body['session_token']))
      visit.kept.set('code', await nextCode(visit, phone(visit), Number(kept(visit, 'messages'))))
    },
  })
}

export const signOut: readonly Call[] = [
  pathTo('/auth/logout', { method: 'POST', answer: done }),
  pathTo('/auth/permissions', { when: 'after logging out', status: 401, answer: object({ status: exactly(401), code: text }) }),
]

export function bearerToken(value: unknown, at: string): string[] {
  const payload = typeof value === 'string' ? value.split('.')[1] : undefined
  if (payload === undefined) return [`${at} is not a token of three parts`]
  return claims(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')), `${at} claims`)
}
