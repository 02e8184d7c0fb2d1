import { uuidv7 } from 'uuidv7'
import type { proposeOperation as call } from '#contract/operations.ts'
import { proposalLifetimeMs, proposalReasonMinimum } from '#domain/operations.ts'
import { logAction } from '../access-log.ts'
import { nameOf } from '../auth/user-store.ts'
import type { Caller } from '../caller.ts'
import type { Context } from '../context.ts'
import { Failure, notFound } from '../http/failure.ts'
import type { Request, UseCase } from '../http/route.ts'
import { normalizeBankReference } from '../ledger/bank-reference-store.ts'
import { computePreview, type Previewed } from './compute-preview.ts'
import { executeProposal } from './execute-proposal.ts'
import { readActor } from './four-eyes.ts'
import { isBelowLimit } from './kinds.ts'
import { answerProposal, encodePreview } from './proposal-on-wire.ts'
import { findProposal, findProposalOfReference, insertProposal, type ProposalRow } from './proposal-store.ts'
import { redactNames } from './redact-words.ts'
import { checkReason, CheckerNeeded, DecidedBefore, refused, StalePreview } from './refusals.ts'
import { decodeOperation, encodeInput, type Operation } from './run-operation.ts'

/**
 * Stores a proposal with the preview that the maker has seen, and executes it if its amount is
 * below the limit of its kind.
 *
 * @throws Failure ProposalStale if the loan has changed since that preview.
 */
export const proposeOperation: UseCase<typeof call> = async (context, caller, request) => {
  const { body, origin, attempt } = request
  const operation = decodeOperation(body.kind, body.input)
  const row =
    attempt.madeBefore === null
      ? await makeProposal(context, caller, request, operation)
      : await readEarlierProposal(context, attempt.madeBefore)
  const decided = await executeAlone(context, caller, row, { origin, previewHash: body.preview_hash })
  return { proposal: await answerProposal(context, caller, decided) }
}

/** The proposal that the same request, by its Idempotency-Key, has made before. */
async function readEarlierProposal({ database }: Context, proposalId: string): Promise<ProposalRow> {
  const row = await database.asSystem((sql) => findProposal(sql, proposalId))
  if (!row) throw notFound()
  return row
}

async function makeProposal(
  context: Context,
  caller: Caller,
  { body, origin, attempt }: Request<typeof call>,
  operation: Operation,
): Promise<ProposalRow> {
  const previewed = await computePreview(context, caller, operation, { lan: body.lan, reason: body.reason, origin })
  const given = checkReason(body.reason, proposalReasonMinimum)
  const redacted = await context.database.asSystem((sql) => redactNames(sql, previewed.subject.borrowerId, given))
  const reason = checkReason(redacted, proposalReasonMinimum)
  const { preview } = previewed.outcome
  if (preview.preview_hash !== body.preview_hash) throw new StalePreview(preview)
  const now = context.clock.now()
  const row = buildRow(previewed, reason, now)
  await context.database.asSystem(async (sql) => {
    const open = row.bank_reference === null ? undefined : await findProposalOfReference(sql, row.bank_reference, now)
    const ofLoan = open && caller.permissions.includes('operations:read') ? ` for loan ${open.lan}` : ''
    // Two concurrent proposals can both pass this check; the execution refuses the second.
    if (open) throw refused('input.reference', `An open proposal${ofLoan} names this bank reference already.`, 'reference_proposed')
    await insertProposal(sql, { ...row, input: JSON.stringify(row.input), preview: JSON.stringify(row.preview) })
    await attempt.remember(sql, row.proposal_id)
    await logAction(sql, { borrowerId: row.borrower_id, actorId: caller.actorId, origin, now }, 'proposal_made', {
      proposal: row.proposal_id,
      kind: row.kind,
      lan: row.lan,
      maker: row.maker_name,
      reason,
    })
  })
  return row
}

function buildRow({ operation, subject, actor, outcome }: Previewed, reason: string, now: Date): ProposalRow {
  const { kind, input } = operation
  return {
    borrower_id: subject.borrowerId,
    proposal_id: uuidv7(),
    loan_id: subject.loanId,
    lan: subject.lan,
    kind,
    input: encodeInput(operation),
    amount_paise: outcome.amountPaise,
    bank_reference: 'reference' in input ? normalizeBankReference(input.mode, input.reference) : null,
    reason,
    state: 'proposed',
    maker_id: actor.user_id,
    maker_name: nameOf(actor),
    checker_id: null,
    checker_name: null,
    preview: encodePreview(outcome.preview),
    preview_hash: outcome.preview.preview_hash,
    proposed_at: now,
    expires_at: new Date(now.getTime() + proposalLifetimeMs),
    decided_at: null,
    decision_reason: null,
    decision_cause: null,
    expiry_logged_at: null,
  }
}

/**
 * Executes a proposal below the limit of its kind. If the figures have just changed, a payment link
 * is open, a debit is presented, or earlier ones of the day reach the limit with it, it stays open
 * for a checker.
 */
async function executeAlone(
  context: Context,
  caller: Caller,
  row: ProposalRow,
  { origin, previewHash }: Pick<Parameters<typeof executeProposal>[2], 'origin' | 'previewHash'>,
): Promise<ProposalRow> {
  if (row.state !== 'proposed' || !isBelowLimit(row.kind, row.amount_paise, context.config.operations.limits)) return row
  const actor = await context.database.asSystem((sql) => readActor(sql, caller, row.borrower_id))
  try {
    return await executeProposal(context, row, { caller, origin, actor, permission: 'operations:propose', previewHash, cancelLink: false })
  } catch (error) {
    // Another person has decided it in the meantime.
    if (error instanceof DecidedBefore) return error.row
    if (error instanceof CheckerNeeded) return row
    if (error instanceof Failure && ['ProposalStale', 'LinkOpen', 'AutopayInProgress'].includes(error.code)) return row
    throw error
  }
}
