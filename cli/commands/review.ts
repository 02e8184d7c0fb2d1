import type { Command } from 'commander'
import { isUuid } from '#contract/uuid.ts'
import { findUserById } from '#server/auth/user-store.ts'
import { redactPersonalData } from '#server/log.ts'
import { redactReason } from '#server/staff/assume.ts'
import { logOperatorAct } from '#server/staff/operator.ts'
import { listReviews, lockReview, resolveReview, type ListedReview } from '#server/payments/review-store.ts'
import { withDatabase, type DatabaseContext } from '#cli/database-context.ts'
import { CommandError } from '#cli/command-error.ts'
import { changesData, printing, withOperator, type OperatorContext } from '#cli/operator-context.ts'
import { reasonOption, referenceOption } from '#cli/options.ts'

/**
 * `kist review list|resolve`: differences between provider and portal that a person must decide.
 */
export function addReviewCommands(program: Command): void {
  const review = program.command('review').description('differences with the payment provider, for a person to settle')
  review
    .command('list')
    .description('open differences, oldest first')
    .option('--all', 'also the resolved ones')
    .action(async ({ all = false }: { all?: boolean }) => console.log(await withDatabase((context) => list(context, all))))
  changesData(review.command('resolve'))
    .description('mark one as resolved; it changes no money')
    .requiredOption('--review <id>', 'the id that list prints', referenceOption)
    .requiredOption('--resolution <words>', 'what was found and done, for the record', reasonOption)
    .action(printing(withOperator, resolve))
}

/** @returns a line for each difference, or that there is none. */
export async function list({ database }: Pick<DatabaseContext, 'database'>, all: boolean): Promise<string> {
  const reviews = await database.asSystem((sql) => listReviews(sql, all))
  return reviews.length === 0 ? 'no difference is open' : reviews.map(describeReview).join('\n')
}

function describeReview({ review_id, kind, lan, reference, found_at, due_on, detail, resolution }: ListedReview): string {
  const facts = Object.entries(detail as Record<string, unknown>).map(([name, value]) => `${name}=${String(value)}`)
  const parts = [
    review_id,
    kind,
    lan ?? 'no loan',
    reference ?? 'no link',
    `since ${found_at.toISOString()}`,
    ...(due_on === null ? [] : [`due ${due_on}`]),
    ...facts,
  ]
  return redactPersonalData([...parts, ...(resolution === null ? [] : [`resolved: ${resolution}`])].join('  '))
}

/** @returns a line for the operator. */
export function resolve(
  { database, clock, operator }: Pick<OperatorContext, 'database' | 'clock' | 'operator'>,
  given: { review: string; resolution: string },
): Promise<string> {
  return database.asSystem(async (sql) => {
    if (!isUuid(given.review)) throw new CommandError(`${given.review} is not the id of a review`)
    const review = await lockReview(sql, given.review)
    if (!review) throw new CommandError(`There is no review ${given.review}`)
    if (review.resolved_at !== null) return `unchanged: ${review.kind} ${review.review_id} was resolved before`
    const now = clock.now()
    // Kept for good, so without the names of the borrower.
    const borrower = await findUserById(sql, review.borrower_id)
    const resolution = borrower ? redactReason(given.resolution, borrower) : given.resolution
    await resolveReview(sql, review, operator.actorId, resolution, now)
    await logOperatorAct(sql, operator, {
      at: now,
      subjectId: review.borrower_id,
      action: 'review_resolved',
      detail: { review: review.review_id, kind: review.kind, resolution },
    })
    return `resolved: ${review.kind} ${review.review_id}`
  })
}
