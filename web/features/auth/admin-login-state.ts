import { loginReducer, noSession, type CodeError, type LoginEvent, type LoginState } from './login-state.ts'

/**
 * The staff login has the steps of the borrowers' login. Until the right code is entered, it must
 * not reveal whose phone it is: nobody's, a borrower's or a staff member's. After a refused phone,
 * the screen therefore continues as if a code had been sent, and all problems with a code have the
 * same text. Only failures that do not depend on the phone have their own text: no connection, a
 * server error.
 */
export function adminLoginReducer(state: LoginState, event: LoginEvent): LoginState {
  if (event.type !== 'code_expired') return loginReducer(state, hideReason(state, event))
  // Only a code that was really sent can expire. The new code replaces it without a message.
  if (state.step !== 'submitting-otp' || state.sent === null) return state
  const sent = { ...state.sent, sessionToken: event.sessionToken }
  return { ...state, step: 'enter-otp', codeError: { type: 'not-accepted' }, sent }
}

/** The server's delays before the 2nd, 3rd and 4th code to a phone; the last delay repeats. */
const resendDelaysSeconds = [30, 60, 120]

function hideReason(state: LoginState, event: LoginEvent): LoginEvent {
  switch (event.type) {
    case 'phone_refused':
    case 'resend_refused':
      return event.error.type === 'server' ? event : pretendSent(state, event.nowMs)
    case 'send_too_soon':
      if (state.sent?.phone === state.phone) return event
      // A code was sent before this page was opened. This page does not know its session.
      return { type: 'code_sent', sessionToken: noSession, resendAfterSeconds: event.seconds, nowMs: event.nowMs }
    case 'code_refused':
      return { type: 'code_refused', error: removeReason(event.error) }
    default:
      return event
  }
}

function pretendSent(state: LoginState, nowMs: number): LoginEvent {
  const lastSent = state.sent?.phone === state.phone ? state.sent : null
  if (lastSent !== null && lastSent.resendAtMs > nowMs) {
    return { type: 'send_too_soon', seconds: Math.ceil((lastSent.resendAtMs - nowMs) / 1000), nowMs }
  }
  const delay = resendDelaysSeconds[Math.min(lastSent?.times ?? 0, resendDelaysSeconds.length - 1)] ?? 0
  // A code that was really sent earlier stays valid.
  return { type: 'code_sent', sessionToken: lastSent?.sessionToken ?? noSession, resendAfterSeconds: delay, nowMs }
}

const removeReason = (error: CodeError): CodeError => (error.type === 'server' ? error : { type: 'not-accepted' })
