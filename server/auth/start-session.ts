import { uuidv7 } from 'uuidv7'
import { hourSeconds } from '#domain/durations.ts'
import type { Context } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import type { Origin } from '../caller.ts'
import { insertSession } from './session-store.ts'
import { expiryAfter, signToken } from './token.ts'
import type { UserRow } from './user-store.ts'

/** The longest lifetime of a session (decision 48). */
const lifetimeSeconds = { borrower: 12 * hourSeconds, staff: 8 * hourSeconds }

/**
 * Starts a session for an authenticated person. The only place that issues a first bearer token.
 */
export async function startSession(
  context: Context,
  sql: Sql,
  user: UserRow,
  { origin, deviceHash }: { origin: Origin; deviceHash: Buffer },
  now: Date,
): Promise<{ token: string; sessionId: string }> {
  const sessionId = uuidv7()
  const expiresAt = expiryAfter(now, lifetimeSeconds[user.kind === 'staff' ? 'staff' : 'borrower'])
  await insertSession(sql, {
    userId: user.user_id,
    sessionId,
    createdAt: now,
    expiresAt,
    remoteAddress: origin.remoteAddress,
    userAgent: origin.userAgent,
    deviceHash,
  })
  const token = await signToken(context.config.signIn.tokenKeys, {
    userId: user.user_id,
    sessionId,
    roles: user.roles,
    assumedUserId: null,
    issuedAt: now,
    expiresAt,
  })
  return { token, sessionId }
}
