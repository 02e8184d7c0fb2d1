import type { OperationInput, ReviewRecord } from '#contract/operation-kinds.ts'
import type { Sql } from '../database/connect.ts'
import { notFound } from '../http/failure.ts'
import { lockReview } from '../payments/review-store.ts'
import { refused } from './refusals.ts'

type Review = NonNullable<Awaited<ReturnType<typeof lockReview>>>

/**
 * Reads the review of an operation under its row lock.
 *
 * @throws Failure NotFound if there is none.
 */
export async function lockReviewOf(sql: Sql, { review_id }: OperationInput<'review_resolve'>): Promise<Review> {
  const review = await lockReview(sql, review_id.toLowerCase())
  if (!review) throw notFound()
  return review
}

/**
 * A locked review before and after it is resolved. No money changes.
 *
 * @throws Failure ProposalRefused if it was resolved before.
 */
export function reviewRecords(
  review: Review,
  { resolution }: OperationInput<'review_resolve'>,
): { before: ReviewRecord; after: ReviewRecord } {
  if (review.resolved_at !== null) throw refused('input.review_id', 'This review was resolved before.', 'review_resolved')
  const before = toRecord(review)
  return { before, after: { ...before, review_state: 'resolved', resolution } }
}

const toRecord = ({ review_id, kind, resolved_at, found_at, due_on, resolution }: Review): ReviewRecord => ({
  review_id,
  review_kind: kind,
  review_state: resolved_at === null ? 'open' : 'resolved',
  found_at,
  due_on,
  resolution,
})
