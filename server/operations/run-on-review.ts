import type { ReviewRecord } from '#contract/operation-kinds.ts'
import type { ReviewKind } from '#domain/reviews.ts'
import type { Sql } from '../database/connect.ts'
import { notFound } from '../http/failure.ts'
import { lockReview } from '../payments/review-store.ts'
import { refused } from './refusals.ts'
import { buildPreview, type Operation, type Outcome } from './run-operation.ts'

type Review = NonNullable<Awaited<ReturnType<typeof lockReview>>>

/**
 * Reads the review of an operation under its row lock.
 *
 * @throws Failure NotFound if there is none.
 */
export async function lockReviewOf(sql: Sql, { input }: Operation<'review_resolve'>): Promise<Review> {
  const review = await lockReview(sql, input.review_id.toLowerCase())
  if (!review) throw notFound()
  return review
}

/**
 * Computes the effect of resolving a locked review. No money changes.
 *
 * @throws Failure ProposalRefused if it was resolved before.
 */
export function previewReview(review: Review, operation: Operation<'review_resolve'>): Outcome {
  if (review.resolved_at !== null) throw refused('input.review_id', 'This review was resolved before.')
  const { resolution } = operation.input
  const before = toRecord(review)
  const after: ReviewRecord = { ...before, review_state: 'resolved', resolution }
  const preview = buildPreview(operation, { reviewId: review.review_id }, { before, after, lines: [], warnings: [] })
  return { preview, amountPaise: null, detail: { review: review.review_id, kind: review.kind, resolution } }
}

const toRecord = ({ review_id, kind, resolved_at, found_at, due_on, resolution }: Review): ReviewRecord => ({
  review_id,
  review_kind: kind as ReviewKind,
  review_state: resolved_at === null ? 'open' : 'resolved',
  found_at,
  due_on,
  resolution,
})
