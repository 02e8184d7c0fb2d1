import type { approveProposal as call } from '#contract/operations.ts'
import type { UseCase } from '../http/route.ts'
import { executeProposal } from './execute-proposal.ts'
import { findForChecker } from './find-for-checker.ts'
import { answerProposal } from './proposal-on-wire.ts'
import type { ProposalRow } from './proposal-store.ts'
import { DecidedBefore, refuseDecided } from './refusals.ts'

/**
 * Approves and executes a proposal. If the same checker repeats an approval, the answer is the
 * executed proposal.
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
