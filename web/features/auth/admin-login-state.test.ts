import { describe, expect, test } from 'vitest'
import { ApiError } from '#web/api/api-error.ts'
import { adminLoginReducer } from './admin-login-state.ts'
import { noSession, startOfLogin, type LoginEvent, type LoginState } from './login-state.ts'

const serverError = new ApiError({ kind: 'server_error', status: 500 })

const walk = (events: LoginEvent[], from: LoginState = startOfLogin): LoginState => events.reduce(adminLoginReducer, from)

const phone = '9000000009'
const typed = (digits = phone): LoginEvent => ({ type: 'phone_edited', phone: digits })
const submitted: LoginEvent = { type: 'phone_submitted' }
const sent = (nowMs = 0, resendAfterSeconds = 30): LoginEvent => ({ type: 'code_sent', sessionToken: 's1', resendAfterSeconds, nowMs })
const unknown = (nowMs = 0): LoginEvent => ({ type: 'phone_refused', error: { type: 'does-not-exist' }, nowMs })
const code = (text: string): LoginEvent => ({ type: 'code_edited', code: text })
const verify: LoginEvent = { type: 'code_submitted' }
const ticked = (nowMs: number): LoginEvent => ({ type: 'ticked', nowMs })
const resend: LoginEvent = { type: 'resend_pressed' }

const sending = walk([typed(), submitted])
const atCode = walk([sent()], sending)
const verifying = walk([code('482917'), verify], atCode)

/** Everything that the screen shows: the state without the session. */
const seen = ({ sent: last, ...state }: LoginState) => ({ ...state, sent: last && { ...last, sessionToken: '' } })

describe('the steps it shares with the borrowers’ login', () => {
  test('ten digits are asked for', () => {
    expect(walk([typed('98765'), submitted])).toMatchObject({ step: 'enter-phone', phoneError: { type: 'validation' } })
    expect(sending.step).toBe('submitting-phone')
  })
  test('six digits are asked for', () => {
    expect(walk([code('4829'), verify], atCode)).toMatchObject({ step: 'enter-otp', codeError: { type: 'validation' } })
    expect(verifying.step).toBe('submitting-otp')
  })
  test('the countdown, sending again and its failure', () => {
    expect(atCode.resendSeconds).toBe(30)
    expect(walk([ticked(29_000)], atCode).resendSeconds).toBe(1)
    const resending = walk([ticked(30_000), resend], atCode)
    expect(resending.resending).toBe(true)
    expect(walk([sent(30_000, 60)], resending)).toMatchObject({ step: 'enter-otp', resending: false, resendSeconds: 60 })
    const failed = walk([{ type: 'resend_refused', error: { type: 'server', error: serverError }, nowMs: 30_000 }], resending)
    expect(failed).toMatchObject({ resending: false, codeError: { type: 'server' }, sent: { sessionToken: 's1' } })
  })
  test('the number can be changed', () => {
    expect(walk([code('12'), { type: 'number_changed' }], atCode)).toMatchObject({ step: 'enter-phone', code: '', phone })
  })
  test('a failure of the server is reported at either step, and editing clears it', () => {
    const atPhone = walk([{ type: 'phone_refused', error: { type: 'server', error: serverError }, nowMs: 0 }], sending)
    expect(atPhone).toMatchObject({ step: 'enter-phone', phoneError: { type: 'server' } })
    expect(walk([typed('9')], atPhone).phoneError).toBeNull()
    const failed = walk([{ type: 'code_refused', error: { type: 'server', error: serverError } }], verifying)
    expect(failed).toMatchObject({ step: 'enter-otp', codeError: { type: 'server' } })
    expect(walk([code('1')], failed).codeError).toBeNull()
  })
  test('a code that is not sent is reported', () => {
    const read = { type: 'code_status_read', sessionToken: 's1', isLastCheck: true } as const
    expect(walk([{ ...read, status: 'failed' }], atCode).delivery).toBe('failed')
    expect(walk([{ ...read, status: 'waiting' }], atCode).delivery).toBe('late')
    expect(walk([{ ...read, status: 'sent' }], atCode).delivery).toBe('sent')
  })
  test('the right code of a staff member opens', () => expect(walk([{ type: 'verified' }], verifying).step).toBe('login-success'))
})

describe('the right code of anybody else', () => {
  const refused = walk([{ type: 'not_staff' }], verifying)
  test('leads back to the phone step, with nothing of the session left', () => {
    expect(refused).toEqual({ ...startOfLogin, phone, phoneError: { type: 'not-staff' } })
  })
  test('editing the number clears what was shown, and so does sending it again', () => {
    expect(walk([typed('9')], refused).phoneError).toBeNull()
    expect(walk([submitted], refused)).toMatchObject({ step: 'submitting-phone', phoneError: null })
  })
})

describe('A18: nothing shows whose phone it is before the right code', () => {
  test.each([{ type: 'does-not-exist' }, { type: 'too-many-attempts' }] as const)('a phone refused as $type', (error) => {
    const state = walk([{ type: 'phone_refused', error, nowMs: 0 }], sending)
    expect(seen(state)).toEqual(seen(atCode))
    expect(state.sent?.sessionToken).toBe(noSession)
  })
  test('a code sent before this page was opened: goes on, with the server’s countdown', () => {
    const state = walk([{ type: 'send_too_soon', seconds: 12, nowMs: 0 }], sending)
    expect(state).toMatchObject({ step: 'enter-otp', resendSeconds: 12, sent: { sessionToken: noSession } })
  })
  test('sending again, with the delays the server has: 30, 60, 120 seconds and no more', () => {
    let [known, nobody] = [atCode, walk([unknown()], sending)]
    let nowMs = 0
    for (const delay of [30, 60, 120, 120]) {
      expect(nobody.resendSeconds).toBe(delay)
      expect(seen(nobody)).toEqual(seen(known))
      nowMs += delay * 1000
      known = walk([ticked(nowMs), resend, sent(nowMs, delay === 30 ? 60 : 120)], known)
      nobody = walk([ticked(nowMs), resend, { type: 'resend_refused', error: { type: 'not-accepted' }, nowMs }], nobody)
    }
  })
  test('the same number again before another code can be sent', () => {
    const again: LoginEvent[] = [{ type: 'number_changed' }, submitted]
    const known = walk([...again, { type: 'send_too_soon', seconds: 20, nowMs: 10_000 }], atCode)
    const nobody = walk([...again, unknown(10_000)], walk([unknown()], sending))
    expect(seen(nobody)).toEqual(seen(known))
    expect(nobody).toMatchObject({ step: 'enter-otp', resendSeconds: 20 })
  })
  test('another number starts anew', () => {
    const other = walk([{ type: 'number_changed' }, typed('9000000001'), submitted, unknown(5000)], walk([unknown()], sending))
    expect(other).toMatchObject({ step: 'enter-otp', resendSeconds: 30, sent: { times: 1 } })
  })
  test.each([{ type: 'mismatch' }, { type: 'too-many-attempts' }] as const)(
    'a code refused as $type: one sentence, and no lock',
    (error) => {
      const state = walk([{ type: 'code_refused', error }], verifying)
      expect(state).toMatchObject({ step: 'enter-otp', code: '482917', codeError: { type: 'not-accepted' } })
      expect(state.blockedBy).toBeNull()
      expect(walk([code('48291')], state).codeError).toBeNull()
    },
  )
  test('an expired code: the same sentence, and the new session is taken', () => {
    const state = walk([{ type: 'code_expired', sessionToken: 's2', resendAfterSeconds: 30, nowMs: 400_000 }], verifying)
    const mismatch = walk([{ type: 'code_refused', error: { type: 'mismatch' } }], verifying)
    expect(seen(state)).toEqual(seen(mismatch))
    expect(state.sent?.sessionToken).toBe('s2')
  })
  test('a code that did arrive holds on when no other may be sent', () => {
    const state = walk([ticked(30_000), resend, { type: 'resend_refused', error: { type: 'too-many-attempts' }, nowMs: 30_000 }], atCode)
    expect(state).toMatchObject({ resending: false, codeError: null, resendSeconds: 60, sent: { sessionToken: 's1' } })
  })
})

test('answers that come too late change nothing', () => {
  const late: LoginEvent[] = [
    sent(),
    unknown(),
    { type: 'verified' },
    { type: 'not_staff' },
    { type: 'code_refused', error: { type: 'mismatch' } },
    { type: 'code_expired', sessionToken: 'x', resendAfterSeconds: 1, nowMs: 0 },
    { type: 'resend_refused', error: { type: 'mismatch' }, nowMs: 0 },
    { type: 'send_too_soon', seconds: 1, nowMs: 0 },
  ]
  const atPhone = walk([typed()])
  expect(walk(late, atPhone)).toEqual(atPhone)
})
