import type { PortalConfig } from '#contract/portal-config.ts'
import type { PaymentLinkStatus } from '#domain/payments.ts'

/** The result of waiting (spec §4). */
export type WaitingResult = 'success' | 'expired' | 'cancelled' | 'timeout' | 'success_no_rps'

export type WaitingState =
  | { phase: 'polling'; status: 'waiting' | 'syncing' }
  | { phase: 'resolved'; status: WaitingResult; secondsLeft: number }
  /** The page has returned to the payments tab. */
  | { phase: 'left' }

export type WaitingEvent =
  | { type: 'polled'; status: PaymentLinkStatus; rpsUpdated: boolean }
  | { type: 'timedOut' }
  | { type: 'secondPassed' }
  /** The borrower stops waiting, or skips the countdown. */
  | { type: 'leave' }

export const waitingAtFirst: WaitingState = { phase: 'polling', status: 'waiting' }

/** `redirectDelayMs` is how long the result is shown before the payments tab opens. */
export function waitingReducer(state: WaitingState, event: WaitingEvent, redirectDelayMs: number): WaitingState {
  if (state.phase === 'left') return state
  if (event.type === 'leave') return { phase: 'left' }
  if (state.phase === 'resolved') {
    // A late response after the result changes nothing.
    if (event.type !== 'secondPassed') return state
    return state.secondsLeft <= 1 ? { phase: 'left' } : { ...state, secondsLeft: state.secondsLeft - 1 }
  }
  const resolved = (status: WaitingResult): WaitingState => ({
    phase: 'resolved',
    status,
    secondsLeft: Math.max(1, Math.ceil(redirectDelayMs / 1000)),
  })
  switch (event.type) {
    case 'polled':
      if (isPaid(event.status)) return event.rpsUpdated ? resolved('success') : { phase: 'polling', status: 'syncing' }
      // After a payment was seen, a link that closes must not show 'try again': it would lead to a
      // second payment.
      if (state.status === 'syncing' || event.status === 'created') return state
      return resolved(event.status)
    case 'timedOut':
      return resolved(state.status === 'syncing' ? 'success_no_rps' : 'timeout')
    case 'secondPassed':
      return state
  }
}

function isPaid(status: PaymentLinkStatus): status is 'paid' | 'partially_paid' {
  return status === 'paid' || status === 'partially_paid'
}

export type WaitingTimes = { initialDelayMs: number; intervalMs: number; overallTimeoutMs: number; redirectDelayMs: number }

/**
 * The defaults of spec §9; the configuration's own default for the overall timeout is 90 s
 * (decision 42).
 */
export const defaultWaitingTimes: WaitingTimes = {
  initialDelayMs: 5000,
  intervalMs: 3000,
  overallTimeoutMs: 30_000,
  redirectDelayMs: 3000,
}

export function readWaitingTimes(polling: Partial<PortalConfig['polling']> = {}): WaitingTimes {
  return {
    initialDelayMs: polling.initial_delay_ms ?? defaultWaitingTimes.initialDelayMs,
    intervalMs: polling.interval_ms ?? defaultWaitingTimes.intervalMs,
    overallTimeoutMs: polling.overall_timeout_ms ?? defaultWaitingTimes.overallTimeoutMs,
    redirectDelayMs: polling.redirect_delay_ms ?? defaultWaitingTimes.redirectDelayMs,
  }
}
