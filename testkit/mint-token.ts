import { uuidv7 } from 'uuidv7'
import { insertSession } from '#server/auth/session-store.ts'
import { signToken } from '#server/auth/token.ts'
import type { Config } from '#server/config/config.ts'
import type { Database } from '#server/database/connect.ts'

/** A session: user, roles, and for staff the assumed borrower. */
export type Bearer = { userId: string; roles: readonly string[]; assumedUserId?: string }

const sessionMs = 1_500_000

/** Inserts a session without a one-time code. @returns the token. */
export async function mintToken(
  database: Database,
  { signIn }: Config,
  now: Date,
  { userId, roles, assumedUserId }: Bearer,
): Promise<string> {
  const createdAt = new Date(Math.floor(now.getTime() / 1_000) * 1_000)
  const session = { userId, createdAt, expiresAt: new Date(createdAt.getTime() + sessionMs), remoteAddress: '', userAgent: '' }
  const [parentSessionId, sessionId] = [uuidv7(), uuidv7()]
  await database.asSystem(async (sql) => {
    if (assumedUserId !== undefined) await insertSession(sql, { ...session, sessionId: parentSessionId })
    await insertSession(sql, {
      ...session,
      sessionId,
      ...(assumedUserId !== undefined && { assumed: { userId: assumedUserId, parentSessionId, reason: null } }),
    })
  })
  return signToken(signIn.tokenKeys, {
    ...session,
    sessionId,
    roles: [...roles],
    assumedUserId: assumedUserId ?? null,
    issuedAt: createdAt,
  })
}
