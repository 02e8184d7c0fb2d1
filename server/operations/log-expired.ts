import { logAccesses } from '../access-log.ts'
import type { Context } from '../context.ts'
import { markExpiredProposals } from './proposal-store.ts'

/**
 * Writes one entry to the access log for each proposal that nobody decided in time.
 *
 * @returns the number of entries.
 */
export function logExpiredProposals({ database, clock }: Pick<Context, 'database' | 'clock'>): Promise<number> {
  return database.asSystem(async (sql) => {
    const at = clock.now()
    const expired = await markExpiredProposals(sql, at)
    await logAccesses(
      sql,
      expired.map(({ borrower_id: subjectId, proposal_id: proposal, kind, lan, maker_name: operator, reason, expires_at }) => {
        const detail = { proposal, kind, lan, operator, reason, expired_at: expires_at.toISOString() }
        return { at, subjectId, actorId: 'system', action: 'proposal_expired', outcome: 'done', origin: null, detail }
      }),
    )
    return expired.length
  })
}
