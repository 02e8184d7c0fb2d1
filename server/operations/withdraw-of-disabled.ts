import { logAccesses } from '../access-log.ts'
import type { Sql } from '../database/connect.ts'
import { withdrawOpenProposals } from './proposal-store.ts'

const reason = 'The account of the person who proposed it was disabled.'

/**
 * Withdraws the open proposals of a staff member whose account is disabled, each with an entry.
 *
 * @param actorId who disabled the account, or who found it disabled.
 */
export async function withdrawProposalsOfDisabled(sql: Sql, makerId: string, actorId: string, at: Date): Promise<void> {
  const withdrawn = await withdrawOpenProposals(sql, makerId, { reason, cause: 'maker_disabled' }, at)
  await logAccesses(
    sql,
    withdrawn.map(({ borrower_id: subjectId, proposal_id: proposal, kind, lan, maker_name: operator }) => {
      const detail = { proposal, kind, lan, operator, reason }
      return { at, subjectId, actorId, action: 'proposal_withdrawn', outcome: 'done', origin: null, detail }
    }),
  )
}
