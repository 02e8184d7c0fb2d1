import type { rejectProposal as rejectCall, withdrawProposal as withdrawCall } from '#contract/operations.ts'
import { closingReasonMinimum } from '#domain/operations.ts'
import { logAction } from '../access-log.ts'
import { nameOf } from '../auth/user-store.ts'
import type { Caller, Origin } from '../caller.ts'
import type { Context } from '../context.ts'
import { Failure, notFound } from '../http/failure.ts'
import type { UseCase } from '../http/route.ts'
import { findForChecker } from './find-for-checker.ts'
import { answerProposal } from './proposal-on-wire.ts'
import { decideProposal, type Decider, findProposal, type ProposalRow } from './proposal-store.ts'
import { redactNames } from './redact-words.ts'
import { checkReason, DecidedBefore, refuseDecided } from './refusals.ts'

/** Rejects another person's proposal. The same rejection again answers the same. */
export const rejectProposal: UseCase<typeof rejectCall> = async (context, caller, { params, body, origin }) => {
  const { row, actor } = await findForChecker(context, caller, params.id)
  const reason = checkReason(body.reason, closingReasonMinimum)
  const checker = { userId: actor.user_id, name: nameOf(actor) }
  const isRepeated = row.state === 'rejected' && row.checker_id === checker.userId
  const rejected = isRepeated ? row : await close(context, caller, row, { state: 'rejected', reason, checker, origin })
  return { proposal: await answerProposal(context, caller, rejected) }
}

/** Withdraws the caller's own proposal. A repeated withdrawal gives the same answer. */
export const withdrawProposal: UseCase<typeof withdrawCall> = async (context, caller, { params, body, origin }) => {
  const row = await context.database.asSystem((sql) => findProposal(sql, params.id))
  if (!row) throw notFound()
  if (row.maker_id !== caller.actorId) throw new Failure('PermissionDenied', 'Only the person who proposed it can withdraw it.')
  const reason = checkReason(body.reason, closingReasonMinimum)
  const withdrawn =
    row.state === 'withdrawn' ? row : await close(context, caller, row, { state: 'withdrawn', reason, checker: null, origin })
  return { proposal: await answerProposal(context, caller, withdrawn) }
}

/** @throws DecidedBefore if the proposal is not open. */
function close(
  context: Context,
  { actorId }: Caller,
  row: ProposalRow,
  { state, reason, checker, origin }: { state: 'rejected' | 'withdrawn'; reason: string; checker: Decider | null; origin: Origin },
): Promise<ProposalRow> {
  return context.database.asSystem(async (sql) => {
    const at = context.clock.now()
    const kept = await redactNames(sql, row.borrower_id, reason)
    const closed = await decideProposal(sql, refuseDecided(row, at), { state, checker, reason: kept, at })
    if (!closed) throw new DecidedBefore((await findProposal(sql, row.proposal_id)) ?? row, at)
    await logAction(sql, { borrowerId: row.borrower_id, actorId, origin, now: at }, `proposal_${state}`, {
      proposal: row.proposal_id,
      kind: row.kind,
      lan: row.lan,
      operator: checker?.name ?? row.maker_name,
      reason: kept,
    })
    return closed
  })
}
