import { loginReducer, type CodeError, type LoginEvent, type LoginState } from './login-state.ts'

/**
 * The staff login has the same steps, but does not reveal whether a phone is unknown, a borrower's
 * or a staff member's before the right code was typed. So after a refused phone the screen
 * continues as if a code had been sent, and every problem with a code has one text. Only failures
 * that are independent of the phone are named: no connection, a server error.
 */
export function adminLoginReducer(state: LoginState, event: LoginEvent): LoginState {
  if (event.type !== 'code_expired') return loginReducer(state, hideReason(state, event))
  // Only a code that was really sent can expire. The new code replaces it without a message.
  if (state.step !== 'submitting-otp' || state.sent === null) return state
  const sent = { ...state.sent, sessionToken: event.sessionToken }
  return { ...state, step: 'enter-otp', codeError: { type: 'not-accepted' }, sent }
}

/**
 * Stands for a code that was never sent: the server knows no such session and refuses every code
 * for it.
 */
export const noSession = 'no-code-was-sent'

/** The server's delays between two codes to one phone; the last one repeats. */
const usualDelaysSeconds = [30, 60, 120]

function hideReason(state: LoginState, event: LoginEvent): LoginEvent {
  switch (event.type) {
    case 'phone_refused':
    case 'resend_refused':
      return event.error.type === 'server' ? event : pretendSent(state, event.nowMs)
    case 'send_too_soon':
      // The code was sent before this page was opened, and its session is unknown here.
      if (state.sent?.phone === state.phone) return event
      return { type: 'code_sent', sessionToken: noSession, resendAfterSeconds: event.seconds, nowMs: event.nowMs }
    case 'code_refused':
      return { type: 'code_refused', error: removeReason(event.error) }
    default:
      return event
  }
}

function pretendSent(state: LoginState, nowMs: number): LoginEvent {
  const last = state.sent?.phone === state.phone ? state.sent : null
  if (last !== null && last.resendAtMs > nowMs) {
    return { type: 'send_too_soon', seconds: Math.ceil((last.resendAtMs - nowMs) / 1000), nowMs }
  }
  const delay = usualDelaysSeconds[Math.min(last?.times ?? 0, usualDelaysSeconds.length - 1)] ?? 0
  // A code that was really sent earlier stays valid.
  return { type: 'code_sent', sessionToken: last?.sessionToken ?? noSession, resendAfterSeconds: delay, nowMs }
}

const removeReason = (error: CodeError): CodeError => (error.type === 'server' ? error : { type: 'not-accepted' })
