import { describe, expect, test } from 'vitest'
import { ApiError } from '#web/api/api-error.ts'
import { loginReducer, maskPhone, startAfter, startOfLogin, type LoginEvent, type LoginState } from './login-state.ts'

const serverError = new ApiError({ kind: 'server_error', status: 500 })

const walk = (events: LoginEvent[], from: LoginState = startOfLogin): LoginState => events.reduce(loginReducer, from)

const typed: LoginEvent = { type: 'phone_edited', phone: '9000000001' }
const submitted: LoginEvent = { type: 'phone_submitted' }
const sent: LoginEvent = { type: 'code_sent', sessionToken: 's1', resendAfterSeconds: 30, nowMs: 1000 }
const code = (text: string): LoginEvent => ({ type: 'code_edited', code: text })
const verify: LoginEvent = { type: 'code_submitted' }
const refused = (type: 'mismatch' | 'too-many-attempts'): LoginEvent => ({ type: 'code_refused', error: { type } })
const ticked = (nowMs: number): LoginEvent => ({ type: 'ticked', nowMs })

const atPhone = walk([typed])
const sending = walk([typed, submitted])
const atCode = walk([typed, submitted, sent])
const verifying = walk([code('482917'), verify], atCode)

describe('the phone step', () => {
  test('a number of ten digits is sent', () => {
    expect(sending).toMatchObject({ step: 'submitting-phone', phoneError: null })
  })
  test.each(['', '98765', '98765432101'])('%j is not sent', (phone) => {
    expect(walk([{ type: 'phone_edited', phone }, submitted])).toMatchObject({ step: 'enter-phone', phoneError: { type: 'validation' } })
  })
  test.each([{ type: 'does-not-exist' }, { type: 'too-many-attempts' }, { type: 'server', error: serverError }] as const)(
    'a refusal shows $type and keeps the number',
    (error) => {
      expect(walk([{ type: 'phone_refused', error, nowMs: 0 }], sending)).toMatchObject({
        step: 'enter-phone',
        phone: '9000000001',
        phoneError: error,
      })
    },
  )
  test('editing clears the error', () => {
    expect(walk([submitted, { type: 'phone_edited', phone: '9' }]).phoneError).toBeNull()
  })
  test('an edit that leaves the number the same leaves its error', () => {
    expect(walk([{ type: 'phone_edited', phone: '98' }, submitted, { type: 'phone_edited', phone: '98' }]).phoneError).not.toBeNull()
  })
  test('a form that was submitted before its code was loaded begins with the answer', () => {
    expect(startAfter(null)).toEqual(startOfLogin)
    expect(startAfter('98765')).toEqual(walk([{ type: 'phone_edited', phone: '98765' }, submitted]))
    expect(startAfter('9000000001')).toEqual(sending)
  })
  test('the number does not change while it is sent, and is not sent twice', () => {
    expect(walk([{ type: 'phone_edited', phone: '1' }, submitted], sending)).toEqual(sending)
  })
  test('too soon, with a code sent before this page was opened: says for how long', () => {
    const state = walk([{ type: 'send_too_soon', seconds: 12, nowMs: 0 }], sending)
    expect(state).toMatchObject({ step: 'enter-phone', phoneError: { type: 'too-soon', seconds: 12 } })
  })
})

describe('the code step', () => {
  test('begins with empty boxes and the server’s countdown', () => {
    expect(atCode).toMatchObject({ step: 'enter-otp', code: '', resendSeconds: 30, codeError: null, expiredNewSent: false })
  })
  test('a complete code is verified', () => expect(verifying.step).toBe('submitting-otp'))
  test('an incomplete one is not', () => {
    expect(walk([code('4829'), verify], atCode)).toMatchObject({ step: 'enter-otp', codeError: { type: 'validation' } })
  })
  test('the right code signs in', () => expect(walk([{ type: 'verified' }], verifying).step).toBe('login-success'))
  test('a wrong code is reported, and editing clears that', () => {
    const wrong = walk([refused('mismatch')], verifying)
    expect(wrong).toMatchObject({ step: 'enter-otp', code: '482917', codeError: { type: 'mismatch' } })
    expect(walk([code('48291')], wrong).codeError).toBeNull()
  })
  test('a server error is reported, and editing clears that', () => {
    const failed = walk([{ type: 'code_refused', error: { type: 'server', error: serverError } }], verifying)
    expect(failed.codeError).toEqual({ type: 'server', error: serverError })
    expect(walk([code('1')], failed).codeError).toBeNull()
  })
  test('too many attempts shut verifying off until another code is sent', () => {
    const blocked = walk([refused('too-many-attempts')], verifying)
    expect(blocked.blockedBy).toEqual({ type: 'too-many-attempts' })
    expect(walk([code('111111'), verify], blocked)).toMatchObject({ step: 'enter-otp', codeError: { type: 'too-many-attempts' } })
    const again = walk([ticked(31_000), { type: 'resend_pressed' }, { ...sent, sessionToken: 's2', nowMs: 31_000 }], blocked)
    expect(again.blockedBy).toBeNull()
    expect(again.sent?.sessionToken).toBe('s2')
  })
  test('a phone that must wait shuts verifying off too, and editing the code keeps the reason', () => {
    const waiting = walk([{ type: 'code_refused', error: { type: 'too-many-codes' } }], verifying)
    expect(walk([code('111111'), verify], waiting)).toMatchObject({ step: 'enter-otp', codeError: { type: 'too-many-codes' } })
    const again = walk([ticked(31_000), { type: 'resend_pressed' }, { ...sent, sessionToken: 's2', nowMs: 31_000 }], waiting)
    expect(again).toMatchObject({ blockedBy: null, codeError: null })
  })
  test('a code that could not be sent again leaves verifying shut off, also after the number is entered again', () => {
    const blocked = walk([refused('too-many-attempts'), ticked(31_000), { type: 'resend_pressed' }], verifying)
    const failed = walk([{ type: 'resend_refused', error: { type: 'server', error: serverError }, nowMs: 31_000 }], blocked)
    expect(failed.codeError).toMatchObject({ type: 'server' })
    expect(walk([code('482917'), verify], failed)).toMatchObject({
      step: 'enter-otp',
      blockedBy: { type: 'too-many-attempts' },
      codeError: { type: 'too-many-attempts' },
    })
    const again = walk([{ type: 'number_changed' }, submitted, { type: 'send_too_soon', seconds: 20, nowMs: 32_000 }], failed)
    expect(again).toMatchObject({ step: 'enter-otp', blockedBy: { type: 'too-many-attempts' }, codeError: { type: 'too-many-attempts' } })
    const other = [{ type: 'number_changed' } as const, { type: 'phone_edited', phone: '9000000002' } as const, submitted, sent]
    expect(walk(other, failed)).toMatchObject({ step: 'enter-otp', blockedBy: null, codeError: null })
  })
  test('an expired code brings a new one: empty boxes, its session, a notice, a new countdown', () => {
    const renewed = walk([{ type: 'code_expired', sessionToken: 's2', resendAfterSeconds: 45, nowMs: 60_000 }], verifying)
    expect(renewed).toMatchObject({ step: 'enter-otp', code: '', expiredNewSent: true, resendSeconds: 45, sent: { sessionToken: 's2' } })
    expect(walk([code('1')], renewed).expiredNewSent).toBe(false)
  })
  test('the code does not change while it is verified', () => {
    expect(walk([code('1'), verify, { type: 'number_changed' }, { type: 'resend_pressed' }], verifying)).toEqual(verifying)
  })
})

describe('sending the code again', () => {
  test('the countdown follows the clock and stops at 0', () => {
    expect(walk([ticked(2000)], atCode).resendSeconds).toBe(29)
    expect(walk([ticked(30_999)], atCode).resendSeconds).toBe(1)
    expect(walk([ticked(90_000)], atCode).resendSeconds).toBe(0)
  })
  test('is not possible before', () => expect(walk([{ type: 'resend_pressed' }], atCode).resending).toBe(false))
  test('clears the boxes and starts the countdown again', () => {
    const resending = walk([code('12'), ticked(31_000), { type: 'resend_pressed' }], atCode)
    expect(resending.resending).toBe(true)
    expect(walk([{ ...sent, nowMs: 31_000 }], resending)).toMatchObject({ resending: false, code: '', resendSeconds: 30 })
  })
  test('a failure is shown and leaves the old code valid', () => {
    const resending = walk([ticked(31_000), { type: 'resend_pressed' }], atCode)
    const failed = walk([{ type: 'resend_refused', error: { type: 'server', error: serverError }, nowMs: 0 }], resending)
    expect(failed).toMatchObject({ resending: false, codeError: { type: 'server' }, sent: { sessionToken: 's1' } })
  })
  test('too soon starts the countdown where the server is', () => {
    const resending = walk([ticked(31_000), { type: 'resend_pressed' }], atCode)
    expect(walk([{ type: 'send_too_soon', seconds: 7, nowMs: 31_000 }], resending)).toMatchObject({
      resending: false,
      resendSeconds: 7,
      step: 'enter-otp',
    })
  })
})

describe('what the server says of the message', () => {
  const read = (status: 'waiting' | 'sent' | 'failed', isLastCheck = false, sessionToken = 's1'): LoginEvent => ({
    type: 'code_status_read',
    sessionToken,
    status,
    isLastCheck,
  })
  test('is not known at first', () => expect(atCode).toMatchObject({ delivery: null, sent: { atMs: 1000 } }))
  test.each(['sent', 'failed'] as const)('%s is kept until another code is asked for', (status) => {
    const known = walk([read(status), code('12')], atCode)
    expect(known.delivery).toBe(status)
    const again = walk([ticked(31_000), { type: 'resend_pressed' }, { ...sent, sessionToken: 's2', nowMs: 31_000 }], known)
    expect(again).toMatchObject({ delivery: null, sent: { sessionToken: 's2', atMs: 31_000 } })
  })
  test('waiting is late at the last check only', () => {
    expect(walk([read('waiting')], atCode).delivery).toBeNull()
    expect(walk([read('waiting', true)], atCode).delivery).toBe('late')
  })
  test('of an earlier code changes nothing', () => expect(walk([read('failed', false, 's0')], atCode)).toEqual(atCode))
  test('leaves what is being typed or verified as it is', () => {
    expect(walk([read('failed')], verifying)).toEqual({ ...verifying, delivery: 'failed' })
  })
})

describe('an answer that was lost', () => {
  const lost = new ApiError({ kind: 'network_error', network: 'timeout' })
  const mismatch = [code('482917'), verify, refused('mismatch')]
  const failed = (error: ApiError): LoginEvent => ({ type: 'code_refused', error: { type: 'server', error } })
  const resendFailed: LoginEvent = { type: 'resend_refused', error: { type: 'server', error: serverError }, nowMs: 31_000 }
  test.each([
    ['of the code, by the network', [failed(lost)], verifying],
    ['of the code, by the server', [failed(serverError)], verifying],
    ['of a resend', [ticked(31_000), { type: 'resend_pressed' }, resendFailed], atCode],
    [
      'of the same number sent again',
      [
        { type: 'number_changed' },
        submitted,
        { type: 'phone_refused', error: { type: 'server', error: lost }, nowMs: 11_000 },
        submitted,
        { type: 'send_too_soon', seconds: 20, nowMs: 12_000 },
      ],
      atCode,
    ],
  ] as [string, LoginEvent[], LoginState][])('%s: a refused code is not called wrong', (_what, events, from) => {
    expect(walk([...events, ...mismatch], from)).toMatchObject({ step: 'enter-otp', codeError: { type: 'not-accepted' } })
  })
  test('other refusals keep their text', () => {
    expect(walk([failed(lost), code('482917'), verify, refused('too-many-attempts')], verifying)).toMatchObject({
      codeError: { type: 'too-many-attempts' },
      blockedBy: { type: 'too-many-attempts' },
    })
  })
  test('an answer that refuses is not lost', () => {
    const busy = new ApiError({ kind: 'bad_request', status: 429 })
    expect(walk([failed(busy), ...mismatch], verifying).codeError).toEqual({ type: 'mismatch' })
  })
  test('of an earlier code does not count for the next', () => {
    const again: LoginEvent[] = [ticked(31_000), { type: 'resend_pressed' }, { ...sent, sessionToken: 's2', nowMs: 31_000 }]
    expect(walk([failed(lost), ...again, ...mismatch], verifying).codeError).toEqual({ type: 'mismatch' })
  })
})

describe('a code that was awaited when the page was closed', () => {
  const kept = { phone: '9000000001', sessionToken: 's1', atMs: 1000, resendAtMs: 31_000, times: 2 }
  const opened: LoginEvent = { type: 'code_awaited', sent: kept, isAnswerLost: false, nowMs: 21_000 }
  test('is asked for at once, with the countdown where it is', () => {
    expect(walk([opened])).toEqual({ ...startOfLogin, step: 'enter-otp', phone: '9000000001', resendSeconds: 10, sent: kept })
  })
  test('is not called wrong if an answer about it had not arrived', () => {
    const tried: LoginEvent[] = [code('482917'), verify, refused('mismatch')]
    expect(walk([{ ...opened, isAnswerLost: true }, ...tried]).codeError).toEqual({ type: 'not-accepted' })
    expect(walk([opened, ...tried]).codeError).toEqual({ type: 'mismatch' })
  })
  test('replaces a number that was typed, but no code that was sent meanwhile', () => {
    expect(walk([{ type: 'phone_edited', phone: '90' }, opened])).toMatchObject({ step: 'enter-otp', phone: '9000000001' })
    for (const state of [sending, atCode, walk([{ type: 'number_changed' }], atCode)]) expect(walk([opened], state)).toEqual(state)
  })
})

describe('changing the number', () => {
  test('returns to the phone step, clears code and countdown, keeps the number', () => {
    expect(walk([code('12'), { type: 'number_changed' }], atCode)).toMatchObject({
      step: 'enter-phone',
      phone: '9000000001',
      code: '',
      resendSeconds: 0,
      codeError: null,
    })
  })
  test('the same number again, too soon for another code: the code already sent can be typed', () => {
    const back = walk([{ type: 'number_changed' }, submitted, { type: 'send_too_soon', seconds: 20, nowMs: 11_000 }], atCode)
    expect(back).toMatchObject({ step: 'enter-otp', resendSeconds: 20, sent: { sessionToken: 's1' } })
  })
  test('another number, too soon: the earlier code is not offered', () => {
    const other = walk(
      [
        { type: 'number_changed' },
        { type: 'phone_edited', phone: '9000000002' },
        submitted,
        { type: 'send_too_soon', seconds: 20, nowMs: 0 },
      ],
      atCode,
    )
    expect(other).toMatchObject({ step: 'enter-phone', phoneError: { type: 'too-soon' } })
  })
})

test('answers that come too late change nothing', () => {
  const late: LoginEvent[] = [
    sent,
    { type: 'phone_refused', error: { type: 'does-not-exist' }, nowMs: 0 },
    { type: 'verified' },
    { type: 'not_staff' },
    refused('mismatch'),
    { type: 'code_expired', sessionToken: 'x', resendAfterSeconds: 1, nowMs: 0 },
    { type: 'resend_refused', error: { type: 'mismatch' }, nowMs: 0 },
    { type: 'send_too_soon', seconds: 1, nowMs: 0 },
    ticked(5000),
  ]
  expect(walk(late, atPhone)).toEqual(atPhone)
})

test('the number is shown masked', () => expect(maskPhone('9876543210')).toBe('+91 98••• ••210'))
