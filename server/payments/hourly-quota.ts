import { hourMs } from '#domain/durations.ts'
import type { Config } from '../config/config.ts'
import { Failure } from '../http/failure.ts'

/**
 * The payment links that one session, and the mandates that one borrower, may have made at the
 * provider per hour (decision 64); null: no limit.
 */
const madePerHour: Readonly<Record<Config['signIn']['limits'], number | null>> = { strict: 20, demo: 200, relaxed: null }

type Made = {
  /** When each was made since a moment, the oldest first. */
  listTimes(since: Date): Promise<Date[]>
  refusal(max: number): string
}

/**
 * Refuses somebody for whom too many were made in the last hour. The caller holds the row lock of
 * one loan, so requests for several loans at once can exceed the number by a few.
 *
 * @throws Failure TooManyRequests, with the seconds until the oldest counted one is an hour old.
 */
export async function refuseOverQuota({ signIn }: Pick<Config, 'signIn'>, { listTimes, refusal }: Made, now: Date): Promise<void> {
  const max = madePerHour[signIn.limits]
  if (max === null) return
  const made = await listTimes(new Date(now.getTime() - hourMs))
  const oldestCounted = made.at(-max)
  if (oldestCounted === undefined) return
  throw new Failure('TooManyRequests', refusal(max), {
    retryAfterSeconds: Math.ceil((oldestCounted.getTime() + hourMs - now.getTime()) / 1_000),
  })
}
