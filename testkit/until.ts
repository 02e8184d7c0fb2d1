import { setTimeout as delay } from 'node:timers/promises'

type UntilOptions = {
  intervalMs?: number
  /** Message of the error at the time limit; a function is called then. */
  failure?: string | (() => string)
}

/**
 * Calls `read` until its result is truthy.
 *
 * @returns the result.
 * @throws Error at the time limit.
 */
export async function until<T>(
  read: () => T | Promise<T>,
  timeoutMs = 60_000,
  { intervalMs = 50, failure = 'the expected condition was not met in time' }: UntilOptions = {},
): Promise<NonNullable<T>> {
  const deadlineMs = Date.now() + timeoutMs
  for (;;) {
    const value = await read()
    if (value) return value
    if (Date.now() > deadlineMs) throw new Error(typeof failure === 'string' ? failure : failure())
    await delay(intervalMs)
  }
}
