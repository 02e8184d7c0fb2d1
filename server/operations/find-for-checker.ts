import { findUserById, type UserRow } from '../auth/user-store.ts'
import type { Caller } from '../caller.ts'
import type { Context } from '../context.ts'
import { notFound } from '../http/failure.ts'
import { readActor, refuseSamePerson } from './four-eyes.ts'
import { findProposal, type ProposalRow } from './proposal-store.ts'
import { withdrawProposalsOfDisabled } from './withdraw-of-disabled.ts'

/**
 * Reads a proposal and the person who decides it. Withdraws the open proposal of a disabled maker.
 *
 * @throws Failure NotFound, or FourEyes for the maker and the borrower.
 */
export async function findForChecker(context: Context, caller: Caller, id: string): Promise<{ row: ProposalRow; actor: UserRow }> {
  return context.database.asSystem(async (sql) => {
    const row = await findProposal(sql, id)
    if (!row) throw notFound()
    const actor = await readActor(sql, caller, row.borrower_id)
    const maker = await findUserById(sql, row.maker_id)
    if (maker) refuseSamePerson(maker, actor)
    if (row.state !== 'proposed' || (maker && maker.disabled_at === null)) return { row, actor }
    await withdrawProposalsOfDisabled(sql, row.maker_id, caller.actorId, context.clock.now())
    return { row: (await findProposal(sql, id)) ?? row, actor }
  })
}
