import { hourMs } from '#domain/durations.ts'
import type { Config } from '../../config/config.ts'
import type { Sql } from '../../database/connect.ts'
import { Failure } from '../../http/failure.ts'
import { listSessionLinkTimes } from './link-store.ts'

/** The links that one session may create per hour (decision 64); null: no limit. */
const linksPerHour: Readonly<Record<Config['signIn']['limits'], number | null>> = { strict: 20, demo: 200, relaxed: null }

/**
 * Refuses a session that has created too many links. The caller holds the loan's row lock.
 *
 * @throws Failure TooManyRequests, with the seconds until the oldest counted link expires.
 */
export async function refuseOverQuota(
  sql: Sql,
  { signIn }: Pick<Config, 'signIn'>,
  { borrowerId, sessionId }: { borrowerId: string; sessionId: string },
  now: Date,
): Promise<void> {
  const max = linksPerHour[signIn.limits]
  if (max === null) return
  const created = await listSessionLinkTimes(sql, borrowerId, sessionId, new Date(now.getTime() - hourMs))
  const oldestCounted = created.at(-max)
  if (oldestCounted === undefined) return
  throw new Failure('TooManyRequests', `A session can have ${max} payment links made in an hour. Please wait.`, {
    retryAfterSeconds: Math.ceil((oldestCounted.getTime() + hourMs - now.getTime()) / 1_000),
  })
}
