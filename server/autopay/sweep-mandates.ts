import { dayInIndia } from '#domain/calendar.ts'
import { minuteMs, hourMs } from '#domain/durations.ts'
import { loanStateToPost } from '#domain/loan-state.ts'
import type { MoneyContext } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import { backOffMs, type BackOff } from '../jobs/back-off.ts'
import { addReview } from '../payments/review-store.ts'
import { endAtProvider } from './cancel-mandate.ts'
import { checkEach } from './check-each.ts'
import { withMandate } from './collection-transaction.ts'
import { requestMandateEnd } from './end-mandate.ts'
import { changeMandateRow, selectDueMandates, type MandateRow } from './mandate-store.ts'
import { syncMandate } from './sync-mandate.ts'

const mandatesPerBatch = 50
const unconfirmedEndMs = 72 * hourMs

/**
 * The waits between two looks at a mandate that no event tells of: the borrower is at the bank's
 * page, the bank decides within a working day, an active one is looked at before each debit too.
 */
const waits: Readonly<Partial<Record<MandateRow['status'], BackOff>>> = {
  creating: { firstMs: minuteMs, maxMs: 10 * minuteMs },
  issued: { firstMs: minuteMs, maxMs: 10 * minuteMs },
  initiated: { firstMs: 10 * minuteMs, maxMs: 2 * hourMs },
  active: { firstMs: 24 * hourMs, maxMs: 24 * hourMs },
  paused: { firstMs: 6 * hourMs, maxMs: 6 * hourMs },
  ending: { firstMs: minuteMs, maxMs: 6 * hourMs },
}

/**
 * Looks at the mandates that are due: asks the provider for their state, ends those of closed
 * loans, and asks again for ends that the provider has not confirmed.
 *
 * @returns the number of mandates.
 * @throws Error if some could not be checked. The others were, and these are due again later.
 */
export async function sweepMandates(context: MoneyContext): Promise<number> {
  const { database, clock, log } = context
  const due = await database.findAvailable(mandatesPerBatch, (sql) => selectDueMandates(sql, clock.now(), mandatesPerBatch))
  return checkEach(context, due, {
    items: 'mandates',
    check: (mandate) => checkMandate(context, mandate),
    postpone: (mandate, until) =>
      database.asBorrower(mandate.borrower_id, (sql) => changeMandateRow(sql, mandate, { next_check_at: until })),
    logError: (error, { mandate_id }) => log.error({ err: error, mandate: mandate_id }, 'mandate could not be checked'),
  })
}

type DueMandate = Pick<MandateRow, 'borrower_id' | 'mandate_id' | 'loan_id'>

async function checkMandate(context: MoneyContext, due: DueMandate): Promise<void> {
  const mandate = await scheduleAndEnd(context, due)
  if (mandate.status === 'ending') await endAtProvider(context, mandate)
  else await syncMandate(context, mandate)
}

/** Adds a review for a mandate whose end the provider has not confirmed for three days. */
async function reviewUnconfirmedEnd(sql: Sql, mandate: MandateRow, now: Date): Promise<void> {
  const { status, end_requested_at: requestedAt, reference, end_reason, borrower_id: borrowerId, loan_id: loanId } = mandate
  if (status !== 'ending' || requestedAt === null || now.getTime() - requestedAt.getTime() < unconfirmedEndMs) return
  const detail = { reference, reason: end_reason, requested_on: dayInIndia(requestedAt) }
  await addReview(sql, { borrowerId, loanId, kind: 'mandate_end', about: mandate.mandate_id, detail }, now)
}

/** Sets the next look first, and ends the mandate of a closed loan. */
const scheduleAndEnd = (context: MoneyContext, due: DueMandate): Promise<MandateRow> =>
  withMandate(context, due, async (step) => {
    const { sql, own, now } = step
    const isClosed = loanStateToPost(own.facts, dayInIndia(now)).status === 'CLOSED'
    const mandate = isClosed ? await requestMandateEnd(step, 'loan_closed') : step.mandate
    await reviewUnconfirmedEnd(sql, mandate, now)
    const waitMs = backOffMs(mandate.checks, waits[mandate.status] ?? { firstMs: hourMs, maxMs: hourMs })
    await changeMandateRow(sql, due, { next_check_at: new Date(now.getTime() + waitMs), checks: mandate.checks + 1 })
    return mandate
  })
