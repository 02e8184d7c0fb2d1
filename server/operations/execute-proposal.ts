import type { Permission } from '#contract/permissions.ts'
import { actOfOperation } from '#contract/staff-access.ts'
import { dayInIndia, startOfDayInIndiaMs } from '#domain/calendar.ts'
import { sumPaise, zeroPaise } from '#domain/money.ts'
import type { OperationRefusal } from '#domain/operations.ts'
import { logAccess, logAction } from '../access-log.ts'
import { nameOf, type UserRow } from '../auth/user-store.ts'
import type { Caller, Origin } from '../caller.ts'
import type { Context } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import { Failure } from '../http/failure.ts'
import { changeLoan } from '../loan-changes/change-loan.ts'
import { createLoanChangeContext } from '../payments/links/cancel-open-link.ts'
import { nameOtherPayment } from './compute-preview.ts'
import { lockActor, lockActorOfLoan } from './four-eyes.ts'
import { isBelowLimit, loanKinds, type OperationLimits } from './kinds.ts'
import { encodePreview } from './proposal-on-wire.ts'
import { decideProposal, lockProposal, sumExecutedAlone, type ProposalRow } from './proposal-store.ts'
import { CheckerNeeded, refuseDecided, StalePreview } from './refusals.ts'
import { executeRecord, lockRecord, prepareRecord, previewRecord } from './run-on-record.ts'
import { decodeOperation, type LoanOperation, type Outcome, type RecordOperation, runOnLoan } from './run-operation.ts'
import { isOfRecord } from './subject.ts'

/** Who executes a proposal, and which preview they have seen. */
type Execution = {
  caller: Caller
  origin: Origin
  /** The checker, or the maker if one person suffices. */
  actor: UserRow
  /** What the actor must still have when the proposal is executed. */
  permission: Permission
  previewHash: string
  cancelLink: boolean
}

/**
 * Executes a proposal in one transaction: the loan's lock, the fact, its ledger lines and notice,
 * the decision, and the access-log entry. If the loan does not allow it any more, the proposal
 * fails.
 *
 * @throws DecidedBefore, StalePreview, CheckerNeeded, or a Failure of lockActor or of changeLoan,
 * ProposalRefused among them.
 */
export async function executeProposal(context: Context, row: ProposalRow, execution: Execution): Promise<ProposalRow> {
  const operation = decodeOperation(row.kind, row.input)
  const { caller, actor, origin } = execution
  try {
    const executed = isOfRecord(operation)
      ? await executeOnRecord(context, row, operation, execution)
      : await executeOnLoan(context, row, operation as LoanOperation, execution)
    await context.failPoint('proposal_committed')
    return executed
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'ProposalRefused') throw error
    await failProposal(context, row, execution, error)
    throw await nameOtherPayment(context, { caller, actor, origin, call: 'executeProposal' }, operation, error)
  }
}

async function executeOnLoan(context: Context, row: ProposalRow, operation: LoanOperation, execution: Execution): Promise<ProposalRow> {
  const { actor, permission, origin, cancelLink } = execution
  if (row.loan_id === null) throw new Error(`Proposal ${row.proposal_id} has no loan`)
  const kind = loanKinds[operation.kind]
  const { answer } = await changeLoan(createLoanChangeContext(context), {
    borrowerId: row.borrower_id,
    loanId: row.loan_id,
    actor: { actorId: actor.user_id, name: nameOf(actor), reason: row.reason },
    whileLinkOpen: kind.whileLinkOpen(operation.input as never),
    cancelLink,
    proposal: { proposalId: row.proposal_id, origin },
    write: async (transaction) => {
      const { sql, now } = transaction
      await lockActorOfLoan(sql, row.borrower_id, actor.user_id, permission)
      await lockOpen(sql, row, now)
      if (permission === 'operations:propose') await refuseAboveLimit(sql, row, context.config.operations.limits, now)
      const outcome = await runOnLoan(context, transaction, operation, { proposalId: row.proposal_id, reason: row.reason })
      const executed = await storeExecuted(sql, row, execution, outcome, now)
      await context.failPoint('proposal_written')
      return {
        answer: executed,
        log: { action: actOfOperation[operation.kind], detail: { ...outcome.detail, ...amountOf(outcome), maker: row.maker_name } },
      }
    },
  })
  return answer
}

const amountOf = ({ amountPaise }: Outcome) => (amountPaise === null ? {} : { amount_paise: String(amountPaise) })

async function executeOnRecord(context: Context, row: ProposalRow, operation: RecordOperation, execution: Execution): Promise<ProposalRow> {
  const { actor, permission, origin } = execution
  await prepareRecord(context, operation)
  const subject = { borrowerId: row.borrower_id, loanId: row.loan_id, lan: row.lan }
  return context.database.asSystem(async (sql) => {
    const now = context.clock.now()
    await lockRecord(sql, operation)
    await lockActor(sql, actor.user_id, permission)
    await lockOpen(sql, row, now)
    const outcome = await previewRecord(sql, operation, { subject, now, rules: context.config.autopay.rules })
    const executed = await storeExecuted(sql, row, execution, outcome, now)
    await executeRecord(sql, operation, { subject, actorId: actor.user_id, now })
    await logAction(sql, { borrowerId: row.borrower_id, actorId: actor.user_id, origin, now }, actOfOperation[operation.kind], {
      ...outcome.detail,
      proposal: row.proposal_id,
      operator: nameOf(actor),
      maker: row.maker_name,
      reason: row.reason,
    })
    await context.failPoint('proposal_written')
    return executed
  })
}

/**
 * One person can execute several operations of a kind on a loan in a day, below its limit together:
 * otherwise a larger one could be split.
 */
async function refuseAboveLimit(sql: Sql, row: ProposalRow, limits: OperationLimits, now: Date): Promise<void> {
  const before = await sumExecutedAlone(sql, row, new Date(startOfDayInIndiaMs(dayInIndia(now))))
  if (!isBelowLimit(row.kind, sumPaise([before, row.amount_paise ?? zeroPaise]), limits)) throw new CheckerNeeded()
}

async function lockOpen(sql: Sql, row: ProposalRow, now: Date): Promise<void> {
  refuseDecided(await lockProposal(sql, row), now)
}

/** @throws StalePreview if the effect is not what the caller has seen. */
async function storeExecuted(
  sql: Sql,
  row: ProposalRow,
  { actor, previewHash }: Execution,
  { preview }: Outcome,
  now: Date,
): Promise<ProposalRow> {
  if (preview.preview_hash !== previewHash) throw new StalePreview(preview)
  const executed = await decideProposal(sql, row, {
    state: 'executed',
    checker: checkerOf(row, actor),
    reason: null,
    at: now,
    executed: { preview: encodePreview(preview), previewHash },
  })
  if (!executed) throw new Error(`Proposal ${row.proposal_id} was decided under its lock`)
  return executed
}

const checkerOf = (row: ProposalRow, actor: UserRow) =>
  actor.user_id === row.maker_id ? null : { userId: actor.user_id, name: nameOf(actor) }

/** The loan does not allow the operation any more; the checker sees why. */
async function failProposal(context: Context, row: ProposalRow, { actor, origin }: Execution, refusal: Failure): Promise<void> {
  await context.database.asSystem(async (sql) => {
    const at = context.clock.now()
    const [reason, cause] = [refusal.message, (refusal.extras.refusal ?? null) as OperationRefusal | null]
    const failed = await decideProposal(sql, row, { state: 'failed', checker: checkerOf(row, actor), reason, cause, at })
    if (!failed) return
    await logAccess(sql, {
      at,
      subjectId: row.borrower_id,
      actorId: actor.user_id,
      action: 'proposal_failed',
      outcome: 'refused',
      origin,
      detail: {
        proposal: row.proposal_id,
        kind: row.kind,
        lan: row.lan,
        operator: nameOf(actor),
        maker: row.maker_name,
        reason: row.reason,
        why: reason,
      },
    })
  })
}
