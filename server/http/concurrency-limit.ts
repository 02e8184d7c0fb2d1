import type { LimitConcurrency } from '../context.ts'
import { Failure } from './failure.ts'

export type ConcurrencyLimits = {
  runningMax: number
  /** Requests that may wait for a slot. 0: refuse at once when no slot is free. */
  waitingMax: number
  waitMsMax: number
}

type Slots = { running: number; waiting: Set<() => void> }

/**
 * Limits concurrent work for each key in this process. Waiting work starts in order of arrival.
 *
 * @param refuse makes the failure when the queue is full or the wait is too long.
 */
export function limitConcurrency(
  { runningMax, waitingMax, waitMsMax }: ConcurrencyLimits,
  refuse: (retryAfterSeconds: number) => Failure = tooManyRequests,
): LimitConcurrency {
  const slotsByKey = new Map<string, Slots>()

  const acquire = async (key: string): Promise<Slots> => {
    const slots = slotsByKey.get(key) ?? { running: 0, waiting: new Set() }
    slotsByKey.set(key, slots)
    if (slots.running < runningMax) {
      slots.running += 1
      return slots
    }
    if (slots.waiting.size >= waitingMax) throw refuse(1)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    // `release` hands its slot over, so `running` stays the same.
    const grant = () => resolve()
    const timer = setTimeout(() => {
      slots.waiting.delete(grant)
      reject(refuse(Math.ceil(waitMsMax / 1_000)))
    }, waitMsMax)
    slots.waiting.add(grant)
    try {
      await promise
    } finally {
      clearTimeout(timer)
    }
    return slots
  }

  const release = (key: string, slots: Slots): void => {
    const [next] = slots.waiting
    if (next) {
      slots.waiting.delete(next)
      next()
      return
    }
    slots.running -= 1
    if (slots.running === 0) slotsByKey.delete(key)
  }

  return async (key, work) => {
    const slots = await acquire(key)
    try {
      return await work()
    } finally {
      release(key, slots)
    }
  }
}

function tooManyRequests(retryAfterSeconds: number): Failure {
  return new Failure('TooManyRequests', 'Too many requests at once. Please wait for the others to finish.', { retryAfterSeconds })
}
