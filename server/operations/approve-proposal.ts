import type { approveProposal as call } from '#contract/operations.ts'
import { findUserById, type UserRow } from '../auth/user-store.ts'
import type { Caller } from '../caller.ts'
import type { Context } from '../context.ts'
import { notFound } from '../http/failure.ts'
import type { UseCase } from '../http/route.ts'
import { DecidedBefore, executeProposal } from './execute-proposal.ts'
import { readActor, refuseSamePerson } from './four-eyes.ts'
import { proposalsOnWire } from './proposal-on-wire.ts'
import { findProposal, isExpired, type ProposalRow } from './proposal-store.ts'
import { withdrawProposalsOfDisabled } from './withdraw-of-disabled.ts'

/**
 * Approves a proposal, which executes it. The same approval by the same checker again answers the
 * same proposal.
 */
export const approveProposal: UseCase<typeof call> = async (context, caller, { params, body, origin }) => {
  const { row, actor } = await findForChecker(context, caller, params.id)
  const isRepeated = (decided: ProposalRow) =>
    decided.state === 'executed' && decided.checker_id === caller.actorId && decided.preview_hash === body.preview_hash
  const execution = {
    caller,
    origin,
    actor,
    permission: 'operations:approve' as const,
    previewHash: body.preview_hash,
    cancelLink: body.cancel_link ?? false,
  }
  const decided = isRepeated(row)
    ? row
    : await executeProposal(context, refuseDecided(row, context.clock.now()), execution).catch((error: unknown) => {
        if (error instanceof DecidedBefore && isRepeated(error.row)) return error.row
        throw error
      })
  return { proposal: await answerProposal(context, caller, decided) }
}

/** @throws DecidedBefore unless the proposal is open. */
export function refuseDecided(row: ProposalRow, now: Date): ProposalRow {
  if (row.state !== 'proposed' || isExpired(row, now)) throw new DecidedBefore(row, now)
  return row
}

/**
 * Reads a proposal and the person who decides it. The open proposal of a disabled maker is
 * withdrawn.
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

export async function answerProposal(context: Context, { actorId }: Caller, row: ProposalRow) {
  const now = context.clock.now()
  const [proposal] = await context.database.asSystem((sql) => proposalsOnWire(sql, [row], { actorId, now }))
  if (!proposal) throw notFound()
  return proposal
}
