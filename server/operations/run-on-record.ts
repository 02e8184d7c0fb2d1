import type { Sql } from '../database/connect.ts'
import { LedgerRefusal } from '../ledger/ledger-refusal.ts'
import { recordKinds } from './record-kinds.ts'
import { refused } from './refusals.ts'
import { buildPreview, type Operation, type Outcome, type RecordOperation } from './run-operation.ts'
import type { Subject } from './subject.ts'

/**
 * Computes the effect of an operation that changes no loan.
 *
 * @throws Failure ProposalRefused if it is not possible.
 */
export async function previewRecord(sql: Sql, operation: RecordOperation, subject: Subject, now: Date): Promise<Outcome> {
  const kind = recordKinds[operation.kind]
  const { before, after, amountPaise, detail } = await kind
    .preview({ sql, now, subject }, operation.input as never)
    .catch((error: unknown) => {
      throw error instanceof LedgerRefusal ? refused(kind.field, `${error.message}.`, error.reason) : error
    })
  const about = { borrowerId: subject.borrowerId, loanId: subject.loanId ?? '' }
  return { amountPaise, detail, preview: buildPreview(operation as Operation, about, { before, after, lines: [], warnings: [] }) }
}

/** Locks what an operation changes, for its execution. */
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
  await kind.execute({ sql, now, subject, actorId }, operation.input as never).catch((error: unknown) => {
    throw error instanceof LedgerRefusal ? refused(kind.field, `${error.message}.`, error.reason) : error
  })
}
