import type { CodeStatus } from '#contract/auth.ts'
import type { ApiError } from '#web/api/api-error.ts'
import type { SentCode } from './sent-code.ts'

/** The borrowers' login of spec §4; the staff login shares its steps. */
type LoginStep = 'enter-phone' | 'submitting-phone' | 'enter-otp' | 'submitting-otp' | 'login-success'

export type PhoneError =
  | { type: 'validation' | 'does-not-exist' }
  | { type: 'too-many-attempts' }
  /** A code was sent a moment ago, before this page was opened. */
  | { type: 'too-soon'; seconds: number }
  /** The code was right, but the person is not staff. */
  | { type: 'not-staff' }
  | { type: 'server'; error: ApiError }

/**
 * 'too-many-attempts': the code is used up by wrong tries. 'too-many-codes': no code is verified
 * or sent now.
 * 'not-accepted' names no reason: for the staff login, and if the code may have been right.
 */
export type CodeError =
  | { type: 'validation' | 'mismatch' | 'too-many-attempts' | 'too-many-codes' | 'not-accepted' }
  | { type: 'server'; error: ApiError }

export type LoginState = {
  step: LoginStep
  /** The ten digits, or those typed so far. */
  phone: string
  code: string
  phoneError: PhoneError | null
  codeError: CodeError | null
  /** Why no code can be verified until another one is sent (spec §4); null if one can. */
  blockedBy: CodeError | null
  /**
   * An answer about the last code did not arrive: the server may have accepted it, or sent another.
   */
  isAnswerLost: boolean
  /** The code had expired and the server sent a new one. */
  expiredNewSent: boolean
  resending: boolean
  /** Seconds until another code can be requested. */
  resendSeconds: number
  /**
   * The last code sent. 'Change number' keeps it: the same number may be entered again before a new
   * code can be sent.
   */
  sent: SentCode | null
  /**
   * What the server says of the last code: `sent`, `failed`, or `late` if it is not sent after
   * half a minute. Null until one of these is known.
   */
  delivery: 'sent' | 'failed' | 'late' | null
}

type NewCode = { sessionToken: string; resendAfterSeconds: number; nowMs: number }

export type LoginEvent =
  /** The page was opened again while a code was awaited. */
  | { type: 'code_awaited'; sent: SentCode; isAnswerLost: boolean; nowMs: number }
  | { type: 'phone_edited'; phone: string }
  | { type: 'phone_submitted' }
  | ({ type: 'code_sent' } & NewCode)
  | { type: 'send_too_soon'; seconds: number; nowMs: number }
  | { type: 'phone_refused'; error: PhoneError; nowMs: number }
  | { type: 'code_edited'; code: string }
  | { type: 'code_submitted' }
  | { type: 'verified' }
  | { type: 'not_staff' }
  | ({ type: 'code_expired' } & NewCode)
  | { type: 'code_refused'; error: CodeError }
  | { type: 'resend_pressed' }
  | { type: 'resend_refused'; error: CodeError; nowMs: number }
  | { type: 'code_status_read'; sessionToken: string; status: CodeStatus; isLastCheck: boolean }
  | { type: 'number_changed' }
  | { type: 'ticked'; nowMs: number }

export const startOfLogin: LoginState = {
  step: 'enter-phone',
  phone: '',
  code: '',
  phoneError: null,
  codeError: null,
  blockedBy: null,
  isAnswerLost: false,
  expiredNewSent: false,
  resending: false,
  resendSeconds: 0,
  sent: null,
  delivery: null,
}

/**
 * The session token in place of a code that was never sent (admin-login-state.ts). The server does
 * not know this session and refuses every code for it.
 */
export const noSession = 'no-code-was-sent'

/** The state of a page whose form was submitted before its code was loaded; null: it was not. */
export const startAfter = (submittedPhone: string | null): LoginState =>
  submittedPhone === null ? startOfLogin : loginReducer({ ...startOfLogin, phone: submittedPhone }, { type: 'phone_submitted' })

export const isPhoneValid = (phone: string): boolean => /^\d{10}$/.test(phone)
export const isCodeComplete = (code: string): boolean => /^\d{6}$/.test(code)

export function loginReducer(state: LoginState, event: LoginEvent): LoginState {
  switch (event.type) {
    case 'code_awaited':
      return awaitCode(state, event)
    case 'phone_edited':
      // A sign that is no digit leaves the number, and what is wrong with it.
      return state.step === 'enter-phone' && event.phone !== state.phone ? { ...state, phone: event.phone, phoneError: null } : state
    case 'phone_submitted':
      if (state.step !== 'enter-phone') return state
      if (!isPhoneValid(state.phone)) return { ...state, phoneError: { type: 'validation' } }
      return { ...state, step: 'submitting-phone', phoneError: null }
    case 'code_sent':
      if (state.step === 'submitting-phone') return enterCode(state, event)
      if (state.step === 'enter-otp' && state.resending) return enterCode(state, event)
      return state
    case 'send_too_soon':
      return waitForResend(state, event)
    case 'phone_refused':
      if (state.step !== 'submitting-phone') return state
      return { ...state, step: 'enter-phone', phoneError: event.error, isAnswerLost: isAnswerLost(state, event.error) }
    case 'code_edited':
      if (state.step !== 'enter-otp') return state
      // The reason of a block stays, and not why another code could not be sent.
      return { ...state, code: event.code, expiredNewSent: false, codeError: state.blockedBy }
    case 'code_submitted':
      if (state.step !== 'enter-otp' || state.resending || state.blockedBy !== null) return state
      if (!isCodeComplete(state.code)) return { ...state, codeError: { type: 'validation' } }
      return { ...state, step: 'submitting-otp', codeError: null, expiredNewSent: false }
    case 'verified':
      return state.step === 'submitting-otp' ? { ...state, step: 'login-success' } : state
    case 'not_staff':
      return state.step === 'submitting-otp' ? { ...startOfLogin, phone: state.phone, phoneError: { type: 'not-staff' } } : state
    case 'code_expired':
      return state.step === 'submitting-otp' ? { ...enterCode(state, event), expiredNewSent: true } : state
    case 'code_refused':
      if (state.step !== 'submitting-otp') return state
      return refuseCode(state, event.error)
    case 'resend_pressed':
      if (state.step !== 'enter-otp' || state.resending || state.resendSeconds > 0) return state
      return { ...state, resending: true, expiredNewSent: false }
    case 'resend_refused':
      if (!state.resending) return state
      return { ...state, resending: false, codeError: event.error, isAnswerLost: isAnswerLost(state, event.error) }
    case 'code_status_read':
      if (state.sent?.sessionToken !== event.sessionToken) return state
      if (event.status === 'waiting') return event.isLastCheck ? { ...state, delivery: 'late' } : state
      return { ...state, delivery: event.status }
    case 'number_changed':
      if (state.step !== 'enter-otp' || state.resending) return state
      return {
        ...state,
        step: 'enter-phone',
        code: '',
        codeError: null,
        phoneError: null,
        expiredNewSent: false,
        resendSeconds: 0,
      }
    case 'ticked':
      if (state.sent === null || (state.step !== 'enter-otp' && state.step !== 'submitting-otp')) return state
      return { ...state, resendSeconds: countSecondsLeft(state.sent.resendAtMs, event.nowMs) }
  }
}

function awaitCode(state: LoginState, { sent, isAnswerLost, nowMs }: Extract<LoginEvent, { type: 'code_awaited' }>): LoginState {
  if (state.step !== 'enter-phone' || state.sent !== null) return state
  const resendSeconds = countSecondsLeft(sent.resendAtMs, nowMs)
  return { ...state, step: 'enter-otp', phone: sent.phone, phoneError: null, isAnswerLost, resendSeconds, sent }
}

/** Now or before there was no answer, or one that says nothing of what was done. */
const isAnswerLost = (before: LoginState, error: PhoneError | CodeError): boolean =>
  before.isAnswerLost || (error.type === 'server' && (error.error.kind === 'network_error' || error.error.kind === 'server_error'))

/** After a lost answer the code may be used up, or replaced: then it was not typed wrong. */
function refuseCode(state: LoginState, error: CodeError): LoginState {
  return {
    ...state,
    step: 'enter-otp',
    codeError: state.isAnswerLost && error.type === 'mismatch' ? { type: 'not-accepted' } : error,
    blockedBy: error.type === 'too-many-attempts' || error.type === 'too-many-codes' ? error : null,
    isAnswerLost: isAnswerLost(state, error),
  }
}

function enterCode(state: LoginState, code: NewCode): LoginState {
  const resendAtMs = code.nowMs + code.resendAfterSeconds * 1000
  return {
    ...state,
    step: 'enter-otp',
    code: '',
    codeError: null,
    blockedBy: null,
    isAnswerLost: false,
    resending: false,
    expiredNewSent: false,
    resendSeconds: code.resendAfterSeconds,
    delivery: null,
    sent: {
      phone: state.phone,
      sessionToken: code.sessionToken,
      atMs: code.nowMs,
      resendAtMs,
      times: state.sent?.phone === state.phone ? state.sent.times + 1 : 1,
    },
  }
}

/**
 * The server refuses to send another code yet. The last one can be typed if its session is known,
 * unless its attempts are used up.
 */
function waitForResend(state: LoginState, event: { seconds: number; nowMs: number }): LoginState {
  const waiting = { resendSeconds: event.seconds, resending: false }
  const resendAtMs = event.nowMs + event.seconds * 1000
  if (state.sent !== null && state.sent.phone === state.phone) {
    if (state.step !== 'submitting-phone' && !state.resending) return state
    return { ...state, ...waiting, codeError: state.blockedBy ?? state.codeError, step: 'enter-otp', sent: { ...state.sent, resendAtMs } }
  }
  if (state.step !== 'submitting-phone') return state
  return { ...state, step: 'enter-phone', phoneError: { type: 'too-soon', seconds: event.seconds } }
}

const countSecondsLeft = (atMs: number, nowMs: number): number => Math.max(0, Math.ceil((atMs - nowMs) / 1000))

/** '+91 98••• ••210': enough to recognise one's own number, too little for a bystander. */
export const maskPhone = (phone: string): string => `+91 ${phone.slice(0, 2)}••• ••${phone.slice(-3)}`
