import { describe, expect, it } from 'vitest'
import { paymentLinkStatuses, type PaymentLinkStatus } from '#domain/payments.ts'
import {
  getFirstSecondMs,
  isCountingDown,
  waitingReducer,
  waitingAtFirst,
  type Pause,
  type WaitingEvent,
  type WaitingResult,
  type WaitingState,
} from './waiting-state.ts'

const delay = 3000
const polled = (state: WaitingState, status: PaymentLinkStatus, rpsUpdated = false) =>
  waitingReducer(state, { type: 'polled', status, rpsUpdated }, delay)
const resolved = (status: WaitingResult, secondsLeft: number | null = 3, pauses: Pause[] = []): WaitingState => ({
  phase: 'resolved',
  status,
  isPart: false,
  isReturned: false,
  secondsLeft,
  pauses,
})
const syncing: WaitingState = { phase: 'polling', status: 'syncing', pauses: [] }
const left: WaitingState = { phase: 'left' }

describe('while waiting', () => {
  it('stays until something happens', () => {
    expect(polled(waitingAtFirst, 'created')).toEqual(waitingAtFirst)
    expect(waitingReducer(waitingAtFirst, { type: 'secondPassed' }, delay)).toEqual(waitingAtFirst)
  })

  it.each(['paid', 'partially_paid'] as const)('%s without the balance is syncing', (status) => {
    expect(polled(waitingAtFirst, status)).toEqual(syncing)
  })

  it('paid with the balance is success', () => {
    expect(polled(waitingAtFirst, 'paid', true)).toEqual(resolved('success'))
  })

  it('partially_paid with the balance is success of a part', () => {
    expect(polled(waitingAtFirst, 'partially_paid', true)).toEqual({ ...resolved('success'), isPart: true })
  })

  it('ends with the link', () => {
    expect(polled(waitingAtFirst, 'expired')).toEqual(resolved('expired'))
    expect(polled(waitingAtFirst, 'cancelled')).toEqual(resolved('cancelled'))
  })

  it('times out', () => {
    expect(waitingReducer(waitingAtFirst, { type: 'timedOut' }, delay)).toEqual(resolved('timeout'))
  })
})

describe('while syncing', () => {
  it('goes on until the balance is updated', () => {
    expect(polled(syncing, 'paid')).toEqual(syncing)
    expect(polled(syncing, 'partially_paid')).toEqual(syncing)
    expect(polled(syncing, 'paid', true)).toEqual(resolved('success'))
    expect(waitingReducer(syncing, { type: 'secondPassed' }, delay)).toEqual(syncing)
  })

  // After a payment was seen, 'try again with a new payment link' would lead to a second payment.
  it.each(['created', 'expired', 'cancelled'] as const)('is not undone by %s', (status) => {
    expect(polled(syncing, status)).toEqual(syncing)
  })

  it.each(['expired', 'cancelled'] as const)('ends with a link that is %s once its money is posted: it is refunded', (status) => {
    expect(polled(syncing, status, true)).toEqual({ ...resolved(status), isReturned: true })
    expect(polled(waitingAtFirst, status, true)).toEqual({ ...resolved(status), isReturned: true })
  })

  it('times out as paid without the balance', () => {
    expect(waitingReducer(syncing, { type: 'timedOut' }, delay)).toEqual(resolved('success_no_rps'))
  })
})

describe('once resolved', () => {
  const results: WaitingResult[] = ['success', 'expired', 'cancelled', 'timeout', 'success_no_rps']

  it.each(results)('%s counts down and leaves', (status) => {
    const seen: WaitingState[] = []
    let state = resolved(status)
    while (state.phase === 'resolved') {
      state = waitingReducer(state, { type: 'secondPassed' }, delay)
      seen.push(state)
    }
    expect(seen).toEqual([resolved(status, 2), resolved(status, 1), left])
  })

  it.each(results)('%s is not changed by a late answer or the timeout', (status) => {
    for (const late of paymentLinkStatuses) expect(polled(resolved(status), late, true)).toEqual(resolved(status))
    expect(waitingReducer(resolved(status), { type: 'timedOut' }, delay)).toEqual(resolved(status))
  })

  it('counts a started second as one, which is shorter', () => {
    expect(waitingReducer(syncing, { type: 'timedOut' }, 0)).toEqual(resolved('success_no_rps', 1))
    expect(waitingReducer(syncing, { type: 'timedOut' }, 2500)).toEqual(resolved('success_no_rps', 3))
    expect([3000, 2500, 200, 0].map(getFirstSecondMs)).toEqual([1000, 500, 200, 0])
  })
})

describe('a pause', () => {
  const began = (pause: Pause): WaitingEvent => ({ type: 'pauseBegan', pause })
  const ended = (pause: Pause): WaitingEvent => ({ type: 'pauseEnded', pause })
  const after = (state: WaitingState, ...events: WaitingEvent[]) =>
    events.reduce((before, event) => waitingReducer(before, event, delay), state)
  const second: WaitingEvent = { type: 'secondPassed' }
  const pauses: Pause[] = ['pointer', 'touch', 'keyboard', 'hidden']

  it.each(pauses)('%s stops the seconds, and they begin anew when it ends', (pause) => {
    const paused = after(resolved('success'), second, began(pause))
    expect(paused).toEqual(resolved('success', 2, [pause]))
    expect(isCountingDown(paused)).toBe(false)
    expect(after(paused, second, second, second)).toEqual(paused)
    const resumed = after(paused, ended(pause))
    expect(resumed).toEqual(resolved('success', 3))
    expect(isCountingDown(resumed)).toBe(true)
    expect(after(resumed, second, second, second)).toEqual(left)
  })

  it.each<WaitingResult>(['expired', 'cancelled', 'timeout', 'success_no_rps'])('holds %s as well', (status) => {
    expect(after(resolved(status), began('touch'), second, second, second)).toEqual(resolved(status, 3, ['touch']))
  })

  it('lasts until the last of several ends', () => {
    const both = after(resolved('timeout', 1), began('pointer'), began('hidden'))
    expect(after(both, ended('hidden'), second)).toEqual(resolved('timeout', 1, ['pointer']))
    expect(after(both, ended('hidden'), ended('pointer'))).toEqual(resolved('timeout', 3))
  })

  it('of a page that was hidden while polling holds the result', () => {
    expect(polled(after(waitingAtFirst, began('hidden')), 'paid', true)).toEqual(resolved('success', 3, ['hidden']))
    expect(polled(after(waitingAtFirst, began('hidden')), 'paid')).toEqual({ ...syncing, pauses: ['hidden'] })
    expect(after(waitingAtFirst, began('hidden'), ended('hidden'))).toEqual(waitingAtFirst)
  })

  it('that is repeated, or ends without having begun, changes nothing', () => {
    const paused = after(resolved('success', 2), began('touch'))
    expect(after(paused, began('touch'))).toBe(paused)
    const counting = resolved('success', 2)
    expect(after(counting, ended('pointer'))).toBe(counting)
  })

  it('makes no difference after ‘Stay’, which ends the redirect', () => {
    const staying = after(resolved('success', 2), { type: 'stay' })
    expect(staying).toEqual(resolved('success', null))
    expect(isCountingDown(staying)).toBe(false)
    expect(after(staying, second, began('hidden'), ended('hidden'), second)).toEqual(staying)
    expect(after(staying, { type: 'leave' })).toEqual(left)
  })

  it('‘Stay’ means nothing before there is a result', () => {
    expect(after(syncing, { type: 'stay' })).toEqual(syncing)
  })
})

describe('leaving', () => {
  it.each<WaitingState>([waitingAtFirst, syncing, resolved('timeout'), left])('%o can be left', (state) => {
    expect(waitingReducer(state, { type: 'leave' }, delay)).toEqual(left)
  })

  it('is final', () => {
    expect(polled(left, 'paid', true)).toEqual(left)
    expect(waitingReducer(left, { type: 'timedOut' }, delay)).toEqual(left)
    expect(waitingReducer(left, { type: 'secondPassed' }, delay)).toEqual(left)
  })
})
