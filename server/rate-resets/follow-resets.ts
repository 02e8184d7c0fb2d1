import { dayInIndia } from '#domain/calendar.ts'
import { resetStateOn, type ResetDecision } from '#domain/rate-resets.ts'
import { computeDecidedReset, computeResetDefault, type ResetDefault } from '#domain/reset-offer.ts'
import { addNotice } from '../add-notice.ts'
import type { Context } from '../context.ts'
import { collectFailures } from '../jobs/collect-failures.ts'
import type { ChangeResult, LoanTransaction } from '../loan-changes/change-loan.ts'
import { changeRate } from '../loan-changes/change-rate.ts'
import { changeLoanOfReset, unchanged } from './change-loan-of-reset.ts'
import { newRateOf } from './reset-on-wire.ts'
import { findOutdatedResets, recheckOtherResets, updateReset, type ResetRow } from './reset-store.ts'
import { saveDecision } from './save-decision.ts'
import { dropReset } from './write-defaults.ts'

const resetsPerBatch = 200

/**
 * Computes resets again whose loan has changed since: a part payment, a tranche, or another reset
 * came in between. If the EMI or the last due date changes, the borrower is notified. Each loan is
 * one transaction.
 *
 * @returns the number of loans.
 * @throws Error if some could not be computed. The others were, and these come again.
 */
export async function followResets({ database, clock, log }: Pick<Context, 'database' | 'clock' | 'log'>): Promise<number> {
  const found = await database.asSystem((sql) => findOutdatedResets(sql, dayInIndia(clock.now()), resetsPerBatch))
  const failures = collectFailures()
  for (const reset of found)
    await changeLoanOfReset({ database, clock }, reset, recompute).catch((error: unknown) => {
      failures.add(error)
      log.error({ err: error, reset: reset.reset_id }, 'rate reset not computed again')
    })
  failures.throwIfAny(found.length, 'rate resets could not be computed again')
  return found.length
}

async function recompute(transaction: LoanTransaction, reset: ResetRow): Promise<ChangeResult<null>> {
  switch (resetStateOn(reset.state, reset.effective_on, dayInIndia(transaction.now))) {
    case 'notified':
      return recomputeDefault(transaction, reset)
    case 'chosen':
    case 'defaulted':
      return recomputeDecided(transaction, reset)
    default:
      return unchanged
  }
}

async function recomputeDefault(transaction: LoanTransaction, reset: ResetRow): Promise<ChangeResult<null>> {
  const { own, now } = transaction
  const computed = computeResetDefault(own.facts, dayInIndia(now), newRateOf(reset))
  if (typeof computed === 'string') return dropOrKeep(transaction, reset, computed)
  const { fallback } = computed
  const figures = { default_choice: fallback.choice, default_instalment_paise: fallback.outcome.instalmentPaise }
  return storeFigures(transaction, reset, { ...computed, outcome: fallback.outcome }, figures)
}

async function recomputeDecided(transaction: LoanTransaction, reset: ResetRow): Promise<ChangeResult<null>> {
  const { sql, own, now } = transaction
  const today = dayInIndia(now)
  const decision = findDecision(own.facts.rateChanges, reset)
  const computed = computeDecidedReset(own.facts, today, newRateOf(reset), decision)
  if (computed === 'nothing_outstanding') return dropDecided(transaction, reset)
  if (typeof computed === 'string') return keepAsIs(transaction, reset)
  if (computed.isPossible) return storeFigures(transaction, reset, computed)
  const changed = computeResetDefault(own.facts, today, newRateOf(reset))
  if (typeof changed === 'string') return keepAsIs(transaction, reset)
  const { fallback } = changed
  const saved = await saveDecision(transaction, reset, { ...fallback, choice: null })
  await updateReset(sql, reset, { default_choice: fallback.choice, default_instalment_paise: fallback.outcome.instalmentPaise })
  return announceChange(transaction, saved)
}

function findDecision(rateChanges: LoanTransaction['own']['facts']['rateChanges'], reset: ResetRow): ResetDecision {
  const change = rateChanges.find(({ date }) => date === reset.effective_on)
  if (!change) throw new Error(`Rate reset ${reset.reset_id} is ${reset.state} and has no rate change`)
  return change
}

/**
 * The loan was repaid before the day of its decided reset: without the rate change, no interest of
 * rows that were paid ahead is owed again.
 */
async function dropDecided(transaction: LoanTransaction, reset: ResetRow): Promise<ChangeResult<null>> {
  await changeRate(transaction, reset.effective_on, null)
  await recheckOtherResets(transaction.sql, reset)
  return dropReset(transaction, reset, 'nothing_outstanding')
}

async function dropOrKeep(
  transaction: LoanTransaction,
  reset: ResetRow,
  obstacle: Extract<ReturnType<typeof computeResetDefault>, string>,
) {
  return obstacle === 'unknown' ? keepAsIs(transaction, reset) : dropReset(transaction, reset, obstacle)
}

async function keepAsIs({ sql, own }: LoanTransaction, reset: ResetRow): Promise<ChangeResult<null>> {
  await updateReset(sql, reset, { ledger_sequence: own.loan.ledger_sequence })
  return unchanged
}

type Computed = Pick<ResetDefault, 'fromRatePpb'> & { outcome: ResetDefault['unchanged'] }

async function storeFigures(
  transaction: LoanTransaction,
  reset: ResetRow,
  { fromRatePpb, outcome }: Computed,
  more: Partial<Pick<ResetRow, 'default_choice' | 'default_instalment_paise'>> = {},
): Promise<ChangeResult<null>> {
  const { sql, own } = transaction
  const saved = await updateReset(sql, reset, {
    ...more,
    from_rate_ppb: BigInt(fromRatePpb),
    instalment_paise: outcome.instalmentPaise,
    last_due_on: outcome.lastDueDate,
    ledger_sequence: own.loan.ledger_sequence,
  })
  const isSame =
    saved.instalment_paise === reset.instalment_paise &&
    saved.last_due_on === reset.last_due_on &&
    saved.from_rate_ppb === reset.from_rate_ppb
  return isSame ? unchanged : announceChange(transaction, saved)
}

async function announceChange({ sql, own, now }: LoanTransaction, saved: ResetRow): Promise<ChangeResult<null>> {
  const { borrower_id: borrowerId, lan } = own.loan
  const about = `reset_recomputed:${saved.reset_id}:${saved.ledger_sequence}:${now.getTime()}`
  const notice = {
    borrowerId,
    about,
    kind: 'rate_reset_recomputed',
    lan,
    amountPaise: saved.instalment_paise,
    date: saved.effective_on,
  } as const
  await addNotice(sql, notice, now)
  const detail = { reset: saved.reset_id, instalment_paise: String(saved.instalment_paise), last_due_on: saved.last_due_on }
  return { answer: null, log: { action: 'rate_reset_recomputed', detail } }
}
