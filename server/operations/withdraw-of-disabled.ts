import { logAction } from '../access-log.ts'
import type { Sql } from '../database/connect.ts'
import { withdrawOpenProposals } from './proposal-store.ts'

const reason = 'The account of the person who proposed it was disabled.'

/**
 * Withdraws the open proposals of a staff member whose account is disabled, each with an entry.
 *
 * @param actorId who disabled the account, or who found it disabled.
 */
export async function withdrawProposalsOfDisabled(sql: Sql, makerId: string, actorId: string, at: Date): Promise<void> {
  for (const row of await withdrawOpenProposals(sql, makerId, { reason, cause: 'maker_disabled' }, at))
    await logAction(sql, { borrowerId: row.borrower_id, actorId, origin: null, now: at }, 'proposal_withdrawn', {
      proposal: row.proposal_id,
      kind: row.kind,
      lan: row.lan,
      operator: row.maker_name,
      reason,
    })
}
