import { findUserById, type UserRow } from '../auth/user-store.ts'
import type { Sql } from '../database/connect.ts'
import { redactReason } from '../staff/assume.ts'
import { decodeOperation, type Operation } from './run-operation.ts'

/** The input that is free text. */
const wordsOf = { tranche_reject: 'cause', review_resolve: 'resolution' } as const

/**
 * Removes the borrower's names from the free text of an input: the text is kept for good, in the
 * proposal and in the access log, as reasons are.
 *
 * @throws Failure ProposalRefused if the text is too long without the names.
 */
export function redactWords(operation: Operation, borrower: UserRow | undefined): Operation {
  const { kind } = operation
  if (!borrower || (kind !== 'tranche_reject' && kind !== 'review_resolve')) return operation
  const input = operation.input as Record<string, string>
  const field = wordsOf[kind]
  return decodeOperation(kind, { ...input, [field]: redactReason(input[field] ?? '', borrower) })
}

/** A reason without the names of the borrower, because it is kept for good. */
export async function redactNames(sql: Sql, borrowerId: string, reason: string): Promise<string> {
  const borrower = await findUserById(sql, borrowerId)
  return borrower ? redactReason(reason, borrower) : reason
}
