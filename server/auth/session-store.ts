import type { Sql } from '../database/connect.ts'

export type NewSession = {
  userId: string
  sessionId: string
  createdAt: Date
  expiresAt: Date
  remoteAddress: string
  userAgent: string
}

export async function insertSession(sql: Sql, session: NewSession): Promise<void> {
  await sql
    .insertInto('sessions')
    .values({
      user_id: session.userId,
      session_id: session.sessionId,
      created_at: session.createdAt,
      expires_at: session.expiresAt,
      last_seen_at: session.createdAt,
      remote_address: session.remoteAddress,
      user_agent: session.userAgent,
    })
    .execute()
}

/** A session with the person whose it is and, while assuming, the borrower it acts for: one indexed query a request. */
export function findSession(sql: Sql, userId: string, sessionId: string) {
  return sql
    .selectFrom('sessions')
    .innerJoin('users as holder', 'holder.user_id', 'sessions.user_id')
    .leftJoin('users as assumed', 'assumed.user_id', 'sessions.assumed_user_id')
    .select([
      'sessions.assumed_user_id',
      'sessions.expires_at',
      'sessions.last_seen_at',
      'sessions.revoked_at',
      'holder.kind',
      'holder.roles',
      'holder.permissions',
      'holder.disabled_at',
      'assumed.kind as assumed_kind',
      'assumed.permissions as assumed_permissions',
      'assumed.disabled_at as assumed_disabled_at',
    ])
    .where('sessions.user_id', '=', userId)
    .where('sessions.session_id', '=', sessionId)
    .executeTakeFirst()
}

export type SessionRow = Awaited<ReturnType<typeof findSession>> & {}

export async function touchSession(sql: Sql, userId: string, sessionId: string, now: Date): Promise<void> {
  await sql.updateTable('sessions').set({ last_seen_at: now }).where('user_id', '=', userId).where('session_id', '=', sessionId).execute()
}

export async function revokeSession(sql: Sql, userId: string, sessionId: string, now: Date): Promise<void> {
  await sql
    .updateTable('sessions')
    .set({ revoked_at: now })
    .where('user_id', '=', userId)
    .where('session_id', '=', sessionId)
    .where('revoked_at', 'is', null)
    .execute()
}
