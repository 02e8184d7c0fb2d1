import { nilUuid } from '#contract/uuid.ts'
import { dayInIndia, quoteDay, type Day } from '#domain/calendar.ts'
import { minuteMs } from '#domain/durations.ts'
import { computeResetDefault, type ResetObstacle } from '#domain/reset-offer.ts'
import { addNotice } from '../add-notice.ts'
import type { Context } from '../context.ts'
import { collectFailures } from '../jobs/collect-failures.ts'
import type { ChangeResult, LoanTransaction } from '../loan-changes/change-loan.ts'
import { changeLoanOfReset, unchanged } from './change-loan-of-reset.ts'
import { newRateOf } from './reset-on-wire.ts'
import { findResetsToDefault, updateReset, type ResetRow } from './reset-store.ts'
import { saveDecision } from './save-decision.ts'

/** Defaults are written this long before the first quotes for their day are made. */
const leadMs = 30 * minuteMs

/** The last day whose defaults are due: tomorrow from 23:00 in India (decision 24). */
const findDueDay = (now: Date): Day => quoteDay(new Date(now.getTime() + leadMs))

const resetsPerBatch = 200

/**
 * Writes the default of resets without a choice, from 23:00 of the last day, so that quotes for the
 * next day contain it. Each loan is one transaction.
 *
 * @returns the number of loans that were changed. One whose state is unknown waits for its facts.
 * @throws Error if some could not be written. The others were, and these come again.
 */
export async function writeDefaults(
  { database, clock, log }: Pick<Context, 'database' | 'clock' | 'log'>,
  signal: AbortSignal,
): Promise<number> {
  let tried = 0
  let done = 0
  const failures = collectFailures()
  for (let after = nilUuid; ;) {
    signal.throwIfAborted()
    const until = findDueDay(clock.now())
    const found = await database.asSystem((sql) => findResetsToDefault(sql, until, after, resetsPerBatch))
    for (const reset of found)
      await changeLoanOfReset({ database, clock }, reset, (transaction, row) => writeDefault(transaction, row, until)).then(
        (isChanged) => (done += isChanged ? 1 : 0),
        (error: unknown) => {
          failures.add(error)
          log.error({ err: error, reset: reset.reset_id }, 'default of a rate reset not written')
        },
      )
    tried += found.length
    const last = found.at(-1)
    if (!last) break
    after = last.reset_id
  }
  failures.throwIfAny(tried, 'defaults of rate resets could not be written')
  return done
}

async function writeDefault(transaction: LoanTransaction, reset: ResetRow, until: Day): Promise<ChangeResult<null>> {
  // The borrower has chosen in the meantime.
  if (reset.state !== 'notified' || reset.effective_on > until) return unchanged
  const { sql, own, now } = transaction
  const { borrower_id: borrowerId, lan } = own.loan
  const computed = computeResetDefault(own.facts, dayInIndia(now), newRateOf(reset))
  if (typeof computed === 'string') return dropReset(transaction, reset, computed)
  const { choice, decision, outcome } = computed.fallback
  await saveDecision(transaction, reset, { choice: null, decision, outcome })
  await updateReset(sql, reset, { default_choice: choice, default_instalment_paise: outcome.instalmentPaise })
  const about = `reset_defaulted:${reset.reset_id}`
  const notice = {
    borrowerId,
    about,
    kind: 'rate_reset_defaulted',
    lan,
    amountPaise: outcome.instalmentPaise,
    date: reset.effective_on,
  } as const
  await addNotice(sql, notice, now)
  const detail = { reset: reset.reset_id, choice, instalment_paise: String(outcome.instalmentPaise) }
  return { answer: null, log: { action: 'rate_reset_defaulted', detail } }
}

/**
 * Withdraws a reset that has nothing left to change: the loan was repaid, or has the rate already.
 * A loan whose facts contradict each other keeps it until they are right.
 */
export async function dropReset({ sql, now }: LoanTransaction, reset: ResetRow, obstacle: ResetObstacle): Promise<ChangeResult<null>> {
  if (obstacle === 'unknown') return { answer: null, log: null }
  await updateReset(sql, reset, { state: 'withdrawn', withdrawn_at: now })
  return { answer: null, log: { action: 'rate_reset_recomputed', detail: { reset: reset.reset_id, withdrawn: obstacle } } }
}
