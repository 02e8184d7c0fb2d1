import type { Sql } from '../database/connect.ts'
import type { Caller } from '../caller.ts'

type SessionKey = Pick<Caller, 'actorId' | 'sessionId'>

/**
 * The times at which a session generated documents, oldest first. Locks the row until the
 * transaction ends.
 */
export async function lockGenerationTimes(sql: Sql, { actorId, sessionId }: SessionKey): Promise<Date[]> {
  const session = await sql
    .selectFrom('sessions')
    .select('documents_generated_at')
    .where('user_id', '=', actorId)
    .where('session_id', '=', sessionId)
    .forUpdate()
    .executeTakeFirstOrThrow()
  return session.documents_generated_at
}

export async function saveGenerationTimes(sql: Sql, { actorId, sessionId }: SessionKey, times: readonly Date[]): Promise<void> {
  await sql
    .updateTable('sessions')
    .set({ documents_generated_at: [...times] })
    .where('user_id', '=', actorId)
    .where('session_id', '=', sessionId)
    .execute()
}
