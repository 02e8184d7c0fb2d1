import { Failure } from './failure.ts'

/** Lets each person do so many at a time of what costs the database most; in each process by itself. */
export function limitAtOnce(max: number): <T>(actorId: string, work: () => Promise<T>) => Promise<T> {
  const running = new Map<string, number>()
  return async (actorId, work) => {
    const count = running.get(actorId) ?? 0
    if (count >= max)
      throw new Failure('TooManyRequests', 'Too many of these at once. Please wait for the others.', { retryAfterSeconds: 1 })
    running.set(actorId, count + 1)
    try {
      return await work()
    } finally {
      const left = (running.get(actorId) ?? 1) - 1
      if (left === 0) running.delete(actorId)
      else running.set(actorId, left)
    }
  }
}
