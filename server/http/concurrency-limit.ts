import { Failure } from './failure.ts'

export type ConcurrencyLimits = {
  runningMax: number
  /** So many wait for a place. 0: whoever finds none is refused at once. */
  waitingMax: number
  waitMsMax: number
}

type Places = { running: number; waiting: Set<() => void> }

/** Runs work when there is a place for its key. */
export type LimitConcurrency = <T>(key: string, work: () => Promise<T>) => Promise<T>

/**
 * Limits how much is done at once for each key, in this process. What finds no place waits in the order of arrival.
 *
 * @param refuse makes the failure for what cannot wait, or has waited too long.
 */
export function limitConcurrency(
  { runningMax, waitingMax, waitMsMax }: ConcurrencyLimits,
  refuse: (retryAfterSeconds: number) => Failure = tooManyRequests,
): LimitConcurrency {
  const placesByKey = new Map<string, Places>()

  const take = async (key: string): Promise<Places> => {
    const places = placesByKey.get(key) ?? { running: 0, waiting: new Set() }
    placesByKey.set(key, places)
    if (places.running < runningMax) {
      places.running += 1
      return places
    }
    if (places.waiting.size >= waitingMax) throw refuse(1)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    // Called by whoever leaves: the place is handed over, and stays counted.
    const enter = () => resolve()
    const timer = setTimeout(() => {
      places.waiting.delete(enter)
      reject(refuse(Math.ceil(waitMsMax / 1_000)))
    }, waitMsMax)
    places.waiting.add(enter)
    try {
      await promise
    } finally {
      clearTimeout(timer)
    }
    return places
  }

  const leave = (key: string, places: Places): void => {
    const [next] = places.waiting
    if (next) {
      places.waiting.delete(next)
      next()
      return
    }
    places.running -= 1
    if (places.running === 0) placesByKey.delete(key)
  }

  return async (key, work) => {
    const places = await take(key)
    try {
      return await work()
    } finally {
      leave(key, places)
    }
  }
}

function tooManyRequests(retryAfterSeconds: number): Failure {
  return new Failure('TooManyRequests', 'Too many requests at once. Please wait for the others to finish.', { retryAfterSeconds })
}
