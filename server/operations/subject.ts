import { recordOperationKinds, type OperationKind } from '#domain/operations.ts'
import type { Sql } from '../database/connect.ts'
import { notFound } from '../http/failure.ts'
import { findLoanKey } from '../loans/loan-store.ts'
import { refused } from './refusals.ts'
import { recordKinds } from './record-kinds.ts'
import type { Operation, RecordOperation } from './run-operation.ts'

/** What an operation is about: a loan, or a record with its loan if it has one. */
export type Subject = { borrowerId: string; loanId: string | null; lan: string | null }

export const isOfRecord = (operation: Operation): operation is RecordOperation =>
  (recordOperationKinds as readonly OperationKind[]).includes(operation.kind)

/**
 * Finds the loan or the record, with system access.
 *
 * @throws Failure NotFound if there is none, or ProposalRefused if the loan is not named.
 */
export async function findSubject(sql: Sql, operation: Operation, lan: string | undefined): Promise<Subject> {
  if (isOfRecord(operation)) return recordKinds[operation.kind].findSubject(sql, operation.input as never, lan)
  if (lan === undefined) throw refused('lan', `lan is missing: ${operation.kind satisfies OperationKind} is about a loan.`, 'input_invalid')
  const key = await findLoanKey(sql, lan)
  if (!key) throw notFound()
  return { ...key, lan }
}
