import type { PaymentLinkStatus } from '#domain/payments.ts'

/** The result of waiting (spec §4). */
export type WaitingResult = 'success' | 'expired' | 'cancelled' | 'timeout' | 'success_no_rps'

/**
 * Why the redirect pauses (WCAG 2.2.1). `pointer` and `hidden` end by themselves; `touch` and
 * `keyboard` last, because nothing shows that the person has finished reading. While polling only
 * `hidden` is reported: what is pressed or moved before there is a result does not hold it.
 */
export type Pause = 'pointer' | 'touch' | 'keyboard' | 'hidden'

export type WaitingState =
  | { phase: 'polling'; status: 'waiting' | 'syncing'; pauses: readonly Pause[] }
  | {
      phase: 'resolved'
      status: WaitingResult
      /** True if the link has received only a part of its amount. */
      isPart: boolean
      /** True if the money came after the link had closed, and is refunded. */
      isReturned: boolean
      /** Null after 'Stay on this page': there is no redirect any more. */
      secondsLeft: number | null
      pauses: readonly Pause[]
    }
  /** The page has returned to the payments tab. */
  | { phase: 'left' }

export type WaitingEvent =
  | { type: 'polled'; status: PaymentLinkStatus; rpsUpdated: boolean }
  | { type: 'timedOut' }
  | { type: 'secondPassed' }
  | { type: 'pauseBegan' | 'pauseEnded'; pause: Pause }
  /** The borrower ends the redirect. */
  | { type: 'stay' }
  /** The borrower stops waiting, or skips the countdown. */
  | { type: 'leave' }

export const waitingAtFirst: WaitingState = { phase: 'polling', status: 'waiting', pauses: [] }

/** `redirectDelayMs` is how long the result is shown before the payments tab opens. */
export function waitingReducer(state: WaitingState, event: WaitingEvent, redirectDelayMs: number): WaitingState {
  if (state.phase === 'left') return state
  const seconds = Math.max(1, Math.ceil(redirectDelayMs / 1000))
  switch (event.type) {
    case 'leave':
      return { phase: 'left' }
    case 'pauseBegan':
      return state.pauses.includes(event.pause) ? state : { ...state, pauses: [...state.pauses, event.pause] }
    case 'pauseEnded':
      return endPause(state, event.pause, seconds)
    case 'stay':
      return state.phase === 'resolved' ? { ...state, secondsLeft: null } : state
    case 'secondPassed':
      if (!isCountingDown(state)) return state
      return state.secondsLeft <= 1 ? { phase: 'left' } : { ...state, secondsLeft: state.secondsLeft - 1 }
    case 'polled':
    case 'timedOut':
      // A late response after the result changes nothing.
      return state.phase === 'polling' ? resolve(state, event, seconds) : state
  }
}

type Polling = Extract<WaitingState, { phase: 'polling' }>
type Resolved = Extract<WaitingState, { phase: 'resolved' }>

function resolve(state: Polling, event: Extract<WaitingEvent, { type: 'polled' | 'timedOut' }>, secondsLeft: number): WaitingState {
  const resolved = (status: WaitingResult, money: { isPart?: boolean; isReturned?: boolean } = {}): WaitingState => ({
    phase: 'resolved',
    status,
    isPart: false,
    isReturned: false,
    ...money,
    secondsLeft,
    pauses: state.pauses,
  })
  if (event.type === 'timedOut') return resolved(state.status === 'syncing' ? 'success_no_rps' : 'timeout')
  if (isPaid(event.status))
    return event.rpsUpdated ? resolved('success', { isPart: event.status === 'partially_paid' }) : { ...state, status: 'syncing' }
  if (event.status === 'created') return state
  // The money of this link came after it was closed, and all of it is refunded.
  if (event.rpsUpdated) return resolved(event.status, { isReturned: true })
  // After a payment was seen, a link that closes must not show 'try again': it would lead to a
  // second payment.
  return state.status === 'syncing' ? state : resolved(event.status)
}

/** After the last pause the redirect takes its whole time again. */
function endPause(state: Polling | Resolved, pause: Pause, seconds: number): WaitingState {
  if (!state.pauses.includes(pause)) return state
  const pauses = state.pauses.filter((one) => one !== pause)
  if (state.phase === 'polling' || state.secondsLeft === null || pauses.length > 0) return { ...state, pauses }
  return { ...state, pauses, secondsLeft: seconds }
}

/** The first second of the countdown is what the delay has beyond whole ones: 500 ms of 2500. */
export const getFirstSecondMs = (redirectDelayMs: number): number => (redirectDelayMs === 0 ? 0 : redirectDelayMs % 1000 || 1000)

/** True while the seconds to the redirect pass. */
export function isCountingDown(state: WaitingState): state is Resolved & { secondsLeft: number } {
  return state.phase === 'resolved' && state.secondsLeft !== null && state.pauses.length === 0
}

function isPaid(status: PaymentLinkStatus): status is 'paid' | 'partially_paid' {
  return status === 'paid' || status === 'partially_paid'
}
