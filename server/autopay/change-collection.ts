import type { retryCollection as retryCall, skipCollection as skipCall } from '#contract/autopay.ts'
import { changeableUntilMs } from '#domain/autopay-times.ts'
import { logAction } from '../access-log.ts'
import type { Context } from '../context.ts'
import type { UseCase } from '../http/route.ts'
import { findPresentedDebit } from '../ledger/open-links-store.ts'
import { debitInProgress } from '../loan-changes/change-refusals.ts'
import { collectionOnWire, presentTimeOf, type CollectionSurroundings } from './autopay-on-wire.ts'
import { collectionNotChangeable, fieldInvalid } from './autopay-refusals.ts'
import { listCollections, readCollection } from './collection-store.ts'
import type { CollectionTransaction } from './collection-transaction.ts'
import { findRetryDays } from './find-retry-days.ts'
import { listMandates } from './mandate-store.ts'
import { withOwnCollection } from './own-mandate.ts'
import { insertCollection } from './plan-collection.ts'
import { skipAndPlanNext } from './skip-collection.ts'

/** Skips one debit, until an hour before it is presented. Repeated, it has no effect. */
export const skipCollection: UseCase<typeof skipCall> = (context, caller, { params, origin }) =>
  withOwnCollection(context, caller, params.id, async (step) => {
    const { sql, mandate, row, now } = step
    const { borrower_id: borrowerId } = row
    if (row.status === 'presented') throw debitInProgress(row, now)
    const isSkipped = row.status === 'skipped' && row.reason === 'borrower'
    const isBeforePresentation = row.status === 'planned' || row.status === 'announced'
    const isTooLate = now.getTime() > changeableUntilMs(presentTimeOf(row, mandate, now).getTime())
    if (!isSkipped && (!isBeforePresentation || isTooLate)) throw collectionNotChangeable()
    if (!isSkipped) {
      await skipAndPlanNext(context, step, 'borrower')
      const detail = { reference: row.reference, debit_on: row.debit_on }
      await logAction(sql, { borrowerId, actorId: caller.actorId, origin, now }, 'debit_skipped', detail)
    }
    return { collection: collectionOnWire(await readCollection(sql, row), await readSurroundings(context, step)) }
  })

/** Has a failed debit tried once more on a day that the borrower chooses. */
export const retryCollection: UseCase<typeof retryCall> = (context, caller, { params, body, origin }) =>
  withOwnCollection(context, caller, params.id, async (step) => {
    const { sql, row, now } = step
    const { borrower_id: borrowerId } = row
    const presented = await findPresentedDebit(sql, borrowerId, row.loan_id)
    if (presented) throw debitInProgress(presented, now)
    const days = findRetryDays(row, await readSurroundings(context, step))
    if (days === null) throw collectionNotChangeable()
    if (body.date < days.from || body.date > days.until) throw fieldInvalid('date', `The day must be from ${days.from} to ${days.until}.`)
    const plan = {
      dueOn: row.due_on,
      attempt: row.attempt + 1,
      plannedBy: borrowerId,
      debitOn: body.date,
      firstDebitOn: row.first_debit_on,
    }
    const collectionId = await insertCollection(context, step, plan)
    const detail = { reference: row.reference, debit_on: body.date }
    await logAction(sql, { borrowerId, actorId: caller.actorId, origin, now }, 'debit_retried', detail)
    const planned = await readCollection(sql, { borrower_id: borrowerId, collection_id: collectionId })
    return { collection: collectionOnWire(planned, await readSurroundings(context, step)) }
  })

async function readSurroundings({ config }: Context, { sql, own, now }: CollectionTransaction): Promise<CollectionSurroundings> {
  const { loan, facts } = own
  const { borrower_id: borrowerId, loan_id: loanId, lan } = loan
  return {
    lan,
    facts,
    rules: config.autopay.rules,
    holidays: config.autopay.holidays,
    now,
    mandates: await listMandates(sql, borrowerId, loanId),
    collections: await listCollections(sql, borrowerId, loanId),
  }
}
