import type { approveProposal as call } from '#contract/operations.ts'
import { Failure } from '../http/failure.ts'
import type { UseCase } from '../http/route.ts'
import { noBorrowerId } from '../payments/review-store.ts'
import { executeProposal } from './execute-proposal.ts'
import { findForChecker } from './find-for-checker.ts'
import { readAndLog } from './log-read.ts'
import { answerProposal } from './proposal-on-wire.ts'
import type { ProposalRow } from './proposal-store.ts'
import { DecidedBefore, refuseDecided, StalePreview } from './refusals.ts'

/**
 * Approves and executes a proposal. If the same checker repeats an approval, the answer is the
 * executed proposal. A refusal with the loan's figures is an entry of the borrower's access log, as
 * reading the proposal is (decision 62).
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
    : await executeProposal(context, refuseDecided(row, context.clock.now()), execution).catch(async (error: unknown) => {
        if (error instanceof DecidedBefore && isRepeated(error.row)) return error.row
        if (!hasFigures(error) || row.borrower_id === noBorrowerId) throw error
        throw await readAndLog(context, caller, { call: 'approveProposal', origin }, () =>
          Promise.resolve({ answer: error, about: row, reader: actor }),
        )
      })
  return { proposal: await answerProposal(context, caller, decided) }
}

/** A stale preview, or a link that was paid instead of cancelled: the answer shows the loan. */
const hasFigures = (error: unknown): boolean => error instanceof StalePreview || (error instanceof Failure && error.code === 'LinkPaid')
