import { sql as raw, type QueryCreator, type Selectable } from 'kysely'
import { uuidv7 } from 'uuidv7'
import { nilUuid } from '#contract/uuid.ts'
import type { Day } from '#domain/calendar.ts'
import type { ReviewKind } from '#domain/reviews.ts'
import type { Sql } from '../database/connect.ts'
import type { DB, PaymentReviews } from '../database/schema.generated.ts'

type ReviewRow = Selectable<PaymentReviews>

/** The borrower id of a review without a known borrower. */
export const noBorrowerId = nilUuid

export type NewReview = {
  borrowerId: string
  loanId?: string
  paymentIntentId?: string
  kind: ReviewKind
  /** Identifies the difference, so that it is added once. */
  about: string
  detail: Record<string, string | number | boolean | null>
  /** The day by which a person must resolve it. */
  dueOn?: Day
}

/** What a review of a link, a payment, a refund or a collection belongs to. */
export const reviewOwner = (row: {
  borrower_id: string
  loan_id: string
  payment_intent_id?: string
}): Pick<NewReview, 'borrowerId' | 'loanId' | 'paymentIntentId'> => ({
  borrowerId: row.borrower_id,
  loanId: row.loan_id,
  ...(row.payment_intent_id !== undefined && { paymentIntentId: row.payment_intent_id }),
})

/** The event of a dispute that the lender has lost. */
export const lostEvent = 'payment.dispute.lost'

/**
 * Whether a dispute of a payment is known to be lost: the payer's bank has its money. A review of
 * the return of a debit has no event.
 */
export async function hasLostDispute(sql: Sql, borrowerId: string, paymentId: string): Promise<boolean> {
  const review = await sql
    .selectFrom('payment_reviews')
    .select('review_id')
    .where('borrower_id', '=', borrowerId)
    .where('kind', 'in', ['dispute', 'debit_return'])
    .where(raw<boolean>`detail ->> 'payment' = ${paymentId} and coalesce(detail ->> 'event', ${lostEvent}) = ${lostEvent}`)
    .executeTakeFirst()
  return review !== undefined
}

/**
 * The open reviews of a borrower's lost disputes and returned debits, oldest first: people may not
 * have recorded yet that the money is gone.
 */
export const listLossReviews = (sql: Sql, borrowerId: string): Promise<{ paymentId: string; foundAt: Date }[]> =>
  sql
    .selectFrom('payment_reviews')
    .select([raw<string>`detail ->> 'payment'`.as('paymentId'), 'found_at as foundAt'])
    .where('borrower_id', '=', borrowerId)
    .where('kind', 'in', ['dispute', 'debit_return'])
    .where('resolved_at', 'is', null)
    .where(raw<boolean>`coalesce(detail ->> 'event', ${lostEvent}) = ${lostEvent}`)
    .orderBy('found_at')
    .execute()

/**
 * Adds a review, in the transaction that finds the difference. One that a later check had closed is
 * open again; one that a person has resolved stays so.
 *
 * @returns true if the review is new or open again.
 */
export async function addReview(sql: Sql, review: NewReview, now: Date): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await sql
    .insertInto('payment_reviews')
    .values({
      borrower_id: review.borrowerId,
      review_id: uuidv7(),
      loan_id: review.loanId ?? null,
      payment_intent_id: review.paymentIntentId ?? null,
      kind: review.kind,
      about: `${review.kind}:${review.about}`,
      detail: JSON.stringify(review.detail),
      found_at: now,
      due_on: review.dueOn ?? null,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['borrower_id', 'about'])
        .doUpdateSet(({ ref }) => ({
          detail: ref('excluded.detail'),
          found_at: ref('excluded.found_at'),
          due_on: ref('excluded.due_on'),
          resolved_at: null,
          resolved_by: null,
          resolution: null,
        }))
        .where('payment_reviews.resolved_by', '=', 'system'),
    )
    .executeTakeFirst()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

/**
 * Adds a review as {@link addReview} does.
 *
 * @returns the number of open differences: 0 if a person has resolved it.
 */
export async function addDifference(sql: Sql, review: NewReview, now: Date): Promise<number> {
  if (await addReview(sql, review, now)) return 1
  const open = await sql
    .selectFrom('payment_reviews')
    .select('review_id')
    .where('borrower_id', '=', review.borrowerId)
    .where('about', '=', `${review.kind}:${review.about}`)
    .where('resolved_at', 'is', null)
    .executeTakeFirst()
  return open ? 1 : 0
}

/** The `about` values of the open reviews of one kind. */
export async function listOpenReviewSubjects(sql: Sql, borrowerId: string, kind: ReviewKind): Promise<ReadonlySet<string>> {
  const reviews = await sql
    .selectFrom('payment_reviews')
    .select('about')
    .where('borrower_id', '=', borrowerId)
    .where('kind', '=', kind)
    .where('resolved_at', 'is', null)
    .execute()
  return new Set(reviews.map(({ about }) => about.slice(kind.length + 1)))
}

/** Whether a person has resolved a review. */
export async function isResolvedByPerson(sql: Sql, { borrowerId, kind, about }: ReviewName): Promise<boolean> {
  const review = await sql
    .selectFrom('payment_reviews')
    .select('review_id')
    .where('borrower_id', '=', borrowerId)
    .where('about', '=', `${kind}:${about}`)
    .where('resolved_at', 'is not', null)
    .where('resolved_by', '!=', 'system')
    .executeTakeFirst()
  return review !== undefined
}

/** Resolves a review that a later check has found to be settled. */
export async function closeReview(sql: Sql, review: ReviewName, resolution: string, now: Date): Promise<void> {
  await reviewClosing(sql, review, resolution, now).execute()
}

type ReviewName = Pick<NewReview, 'borrowerId' | 'kind' | 'about'>

/** Resolves the open reviews of a kind whose subject is settled. */
export async function closeReviews(
  sql: Sql,
  { borrowerId, kind }: Pick<ReviewName, 'borrowerId' | 'kind'>,
  isSettled: (about: string) => boolean,
  resolution: string,
  now: Date,
): Promise<void> {
  for (const about of await listOpenReviewSubjects(sql, borrowerId, kind))
    if (isSettled(about)) await closeReview(sql, { borrowerId, kind, about }, resolution, now)
}

/** Resolves the reviews of a refund that had failed. */
export async function closeRefundReviews(
  sql: Sql,
  refund: { borrower_id: string; refund_id: string; provider_refund_id: string | null },
  resolution: string,
  now: Date,
): Promise<void> {
  const { borrower_id: borrowerId, refund_id, provider_refund_id } = refund
  const isOfRefund = (about: string) => about.startsWith(`${refund_id}:`) || about === provider_refund_id
  await closeReviews(sql, { borrowerId, kind: 'refund_failed' }, isOfRefund, resolution, now)
}

/** The statement of {@link closeReview}, to be part of another one. */
export const reviewClosing = (sql: QueryCreator<DB>, { borrowerId, kind, about }: ReviewName, resolution: string, now: Date) =>
  sql
    .updateTable('payment_reviews')
    .set({ resolved_at: now, resolved_by: 'system', resolution })
    .where('borrower_id', '=', borrowerId)
    .where('about', '=', `${kind}:${about}`)
    .where('resolved_at', 'is', null)

export type ListedReview = ReviewRow & { lan: string | null; reference: string | null }

const reviewsWithLoan = (sql: Sql) =>
  sql
    .selectFrom('payment_reviews as review')
    .leftJoin('loans', (join) => join.onRef('loans.borrower_id', '=', 'review.borrower_id').onRef('loans.loan_id', '=', 'review.loan_id'))
    .leftJoin('payment_links as link', (join) =>
      join.onRef('link.borrower_id', '=', 'review.borrower_id').onRef('link.payment_intent_id', '=', 'review.payment_intent_id'),
    )
    .selectAll('review')
    .select(['loans.lan', 'link.reference'])

/** Lists reviews, oldest first. */
export const listReviews = (sql: Sql, includeResolved: boolean): Promise<ListedReview[]> =>
  reviewsWithLoan(sql)
    .$if(!includeResolved, (query) => query.where('review.resolved_at', 'is', null))
    .orderBy('review.found_at')
    .orderBy('review.review_id')
    .execute()

/**
 * A page of reviews, and their number: open ones by the day by which they must be settled, then
 * oldest first; resolved ones newest first.
 */
export async function pageOfReviews(
  sql: Sql,
  state: 'open' | 'resolved',
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: ListedReview[]; total: number }> {
  const operator = state === 'open' ? 'is' : 'is not'
  const { total } = await sql
    .selectFrom('payment_reviews')
    .select(({ fn }) => fn.countAll<bigint>().as('total'))
    .where('resolved_at', operator, null)
    .executeTakeFirstOrThrow()
  const rows = await reviewsWithLoan(sql)
    .where('review.resolved_at', operator, null)
    .$if(state === 'open', (query) => query.orderBy('review.due_on', (order) => order.asc().nullsLast()).orderBy('review.found_at'))
    .$if(state === 'resolved', (query) => query.orderBy('review.resolved_at', 'desc'))
    .orderBy('review.review_id')
    .limit(limit)
    .offset(offset)
    .execute()
  return { rows, total: Number(total) }
}

export async function countOpenReviews(sql: Sql): Promise<number> {
  const { open } = await sql
    .selectFrom('payment_reviews')
    .select(({ fn }) => fn.countAll<bigint>().as('open'))
    .where('resolved_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(open)
}

export async function countOpenReviewsByKind(sql: Sql): Promise<{ kind: string; count: number }[]> {
  const rows = await sql
    .selectFrom('payment_reviews')
    .select(({ fn }) => ['kind', fn.countAll<bigint>().as('open')])
    .where('resolved_at', 'is', null)
    .groupBy('kind')
    .execute()
  return rows.map(({ kind, open }) => ({ kind, count: Number(open) }))
}

/** Reads a review under its row lock. */
export async function lockReview(sql: Sql, reviewId: string): Promise<ReviewRow | undefined> {
  const selectReview = () => sql.selectFrom('payment_reviews').selectAll().where('review_id', '=', reviewId)
  const found = await selectReview().executeTakeFirst()
  return found && selectReview().where('borrower_id', '=', found.borrower_id).forUpdate().executeTakeFirst()
}

export async function resolveReview(
  sql: Sql,
  { borrower_id, review_id }: Pick<ReviewRow, 'borrower_id' | 'review_id'>,
  by: string,
  resolution: string,
  now: Date,
): Promise<void> {
  await sql
    .updateTable('payment_reviews')
    .set({ resolved_at: now, resolved_by: by, resolution })
    .where('borrower_id', '=', borrower_id)
    .where('review_id', '=', review_id)
    .where('resolved_at', 'is', null)
    .execute()
}
