import { loginReducer, type CodeError, type LoginEvent, type LoginState } from './login-state.ts'

/**
 * The staff login: the same steps, but blind. Whether a phone is unknown, a borrower's or a staff member's cannot be seen
 * before the right code has been typed, so where a phone was refused the screen goes on as if a code had been sent,
 * and whatever is wrong with a code is told in one sentence. Only what has nothing to do with the phone is named: no connection,
 * a server that is down.
 */
export function adminLoginReducer(state: LoginState, event: LoginEvent): LoginState {
  if (event.type !== 'code_expired') return loginReducer(state, blinded(state, event))
  // Only a code that was really sent can expire: its successor is taken without a word, and the latest SMS has it.
  if (state.step !== 'submitting-otp' || state.sent === null) return state
  const sent = { ...state.sent, sessionToken: event.sessionToken }
  return { ...state, step: 'enter-otp', codeError: { type: 'not-accepted' }, sent }
}

/** Stands for a code that was never sent: the server knows no such session and refuses every code for it. */
export const noSession = 'no-code-was-sent'

/** What the server asks for between two codes to one phone; the last one holds from then on. */
const usualDelaysSeconds = [30, 60, 120]

function blinded(state: LoginState, event: LoginEvent): LoginEvent {
  switch (event.type) {
    case 'phone_refused':
    case 'resend_refused':
      return event.error.type === 'server' ? event : asIfSent(state, event.nowMs)
    case 'send_too_soon':
      // The code was sent before this page was opened, and its session is not known here.
      if (state.sent?.phone === state.phone) return event
      return { type: 'code_sent', sessionToken: noSession, resendAfterSeconds: event.seconds, nowMs: event.nowMs }
    case 'code_refused':
      return { type: 'code_refused', error: withoutReason(event.error) }
    default:
      return event
  }
}

function asIfSent(state: LoginState, nowMs: number): LoginEvent {
  const last = state.sent?.phone === state.phone ? state.sent : null
  if (last !== null && last.resendAtMs > nowMs) {
    return { type: 'send_too_soon', seconds: Math.ceil((last.resendAtMs - nowMs) / 1000), nowMs }
  }
  const delay = usualDelaysSeconds[Math.min(last?.times ?? 0, usualDelaysSeconds.length - 1)] ?? 0
  // A code that did arrive earlier holds on.
  return { type: 'code_sent', sessionToken: last?.sessionToken ?? noSession, resendAfterSeconds: delay, nowMs }
}

const withoutReason = (error: CodeError): CodeError => (error.type === 'server' ? error : { type: 'not-accepted' })
