import type { Config } from '../../config/config.ts'
import type { Sql } from '../../database/connect.ts'
import { Failure } from '../../http/failure.ts'
import { linksOfSession } from '../payment-store.ts'

const hourMs = 3_600_000

/** Links that one session may have made in an hour (decision 64); null: as many as it likes. */
const linksPerHour: Readonly<Record<Config['signIn']['limits'], number | null>> = { strict: 20, demo: 200, relaxed: null }

/**
 * Refuses a session that has had too many links made. The caller holds the loan's row lock.
 *
 * @throws Failure TooManyRequests, with the seconds until the oldest of these links no longer counts.
 */
export async function refuseOverQuota(
  sql: Sql,
  { signIn }: Pick<Config, 'signIn'>,
  { borrowerId, sessionId }: { borrowerId: string; sessionId: string },
  now: Date,
): Promise<void> {
  const most = linksPerHour[signIn.limits]
  if (most === null) return
  const made = await linksOfSession(sql, borrowerId, sessionId, new Date(now.getTime() - hourMs))
  const oldestThatCounts = made.at(-most)
  if (oldestThatCounts === undefined) return
  throw new Failure('TooManyRequests', `A session can have ${most} payment links made in an hour. Please wait.`, {
    retryAfterSeconds: Math.ceil((oldestThatCounts.getTime() + hourMs - now.getTime()) / 1_000),
  })
}
