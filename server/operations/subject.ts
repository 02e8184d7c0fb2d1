import type { OperationKind } from '#domain/operations.ts'
import type { Sql } from '../database/connect.ts'
import { notFound } from '../http/failure.ts'
import { findLoanKey, readLoan } from '../loans/loan-store.ts'
import { refused } from './refusals.ts'
import { lockReviewOf } from './run-on-review.ts'
import type { Operation } from './run-operation.ts'

/** What an operation is about: a loan, or a review with its loan if it has one. */
export type Subject = { borrowerId: string; loanId: string | null; lan: string | null }

export const isOfReview = (operation: Operation): operation is Operation<'review_resolve'> => operation.kind === 'review_resolve'

/**
 * Finds the loan or the review, with system access.
 *
 * @throws Failure NotFound if there is none, or ProposalRefused if the loan is not named.
 */
export async function findSubject(sql: Sql, operation: Operation, lan: string | undefined): Promise<Subject> {
  if (isOfReview(operation)) {
    const { borrower_id: borrowerId, loan_id: loanId } = await lockReviewOf(sql, operation)
    return { borrowerId, loanId, lan: loanId === null ? null : (await readLoan(sql, borrowerId, loanId)).lan }
  }
  if (lan === undefined) throw refused('lan', `lan is missing: ${operation.kind satisfies OperationKind} is about a loan.`)
  const key = await findLoanKey(sql, lan)
  if (!key) throw notFound()
  return { ...key, lan }
}
