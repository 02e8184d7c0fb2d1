import type { AutopayRules } from '#domain/autopay.ts'
import type { Context } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import { recordKinds } from './record-kinds.ts'
import { refuseAs } from './refusals.ts'
import { buildPreview, type Operation, type Outcome, type RecordOperation } from './run-operation.ts'
import type { Subject } from './subject.ts'

/**
 * Prepares a preview before its transaction, for example by long computations.
 *
 * @throws Failure ProposalRefused if the operation is not possible, or PreviewInProgress.
 */
export async function prepareRecord(context: Pick<Context, 'database' | 'clock'>, operation: RecordOperation): Promise<void> {
  const kind = recordKinds[operation.kind]
  await kind.prepare?.(context, operation.input as never).catch(refuseAs(kind))
}

/**
 * Computes the effect of an operation that changes no loan, which {@link prepareRecord} has
 * prepared.
 *
 * @throws Failure ProposalRefused if it is not possible.
 */
export async function previewRecord(
  sql: Sql,
  operation: RecordOperation,
  work: { subject: Subject; now: Date; rules: AutopayRules },
): Promise<Outcome> {
  const { subject } = work
  const kind = recordKinds[operation.kind]
  const { before, after, amountPaise, detail } = await kind.preview({ sql, ...work }, operation.input as never).catch(refuseAs(kind))
  const about = { borrowerId: subject.borrowerId, loanId: subject.loanId ?? '' }
  return { amountPaise, detail, preview: buildPreview(operation as Operation, about, { before, after, lines: [], warnings: [] }) }
}

/** Locks the rows that the execution of an operation changes. */
export async function lockRecord(sql: Sql, { kind, input }: RecordOperation): Promise<void> {
  await recordKinds[kind].lock?.(sql, input as never)
}

/** Executes an operation that changes no loan, in the caller's transaction. */
export async function executeRecord(
  sql: Sql,
  operation: RecordOperation,
  { subject, actorId, now }: { subject: Subject; actorId: string; now: Date },
): Promise<void> {
  const kind = recordKinds[operation.kind]
  await kind.execute({ sql, now, subject, actorId }, operation.input as never).catch(refuseAs(kind))
}
