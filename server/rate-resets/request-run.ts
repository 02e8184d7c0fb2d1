import { uuidv7 } from 'uuidv7'
import { addDays, dayInIndia, type Day } from '#domain/calendar.ts'
import { notifyUntil, resetAheadDaysMax, resetNoticeDays } from '#domain/rate-resets.ts'
import type { Sql } from '../database/connect.ts'
import { LedgerRefusal } from '../ledger/ledger-refusal.ts'
import { arrivalDay, readRunSource, type RunSource } from './run-rate-resets.ts'
import { findOpenRunOf, insertRun } from './run-store.ts'

export type RunInput = { benchmark: string; effectiveOn: Day }

/**
 * Reads the benchmark's rates and the products that a run would reset.
 *
 * @throws LedgerRefusal if the run is not possible.
 */
export async function readRunToRequest(sql: Sql, { benchmark, effectiveOn }: RunInput, now: Date): Promise<RunSource> {
  const today = dayInIndia(now)
  const arrivesOn = arrivalDay(now)
  if (notifyUntil(effectiveOn) < arrivesOn)
    throw new LedgerRefusal(
      `Borrowers are notified at least ${resetNoticeDays} days before: the first possible day is ${addDays(arrivesOn, resetNoticeDays)}`,
      'reset_too_soon',
    )
  if (effectiveOn > addDays(today, resetAheadDaysMax))
    throw new LedgerRefusal(
      `The day is more than ${resetAheadDaysMax} days ahead: ${addDays(today, resetAheadDaysMax)} is the last possible one`,
      'reset_too_far',
    )
  const source = await readRunSource(sql, benchmark, effectiveOn)
  if (source.rates.every((rate) => rate.effectiveOn > effectiveOn))
    throw new LedgerRefusal(`The benchmark ${benchmark} has no rate on ${effectiveOn}: publish it first`, 'benchmark_without_rate')
  if (source.products.length === 0) throw new LedgerRefusal(`No product follows the benchmark ${benchmark}`, 'benchmark_not_used')
  if (await findOpenRunOf(sql, benchmark, effectiveOn))
    throw new LedgerRefusal(`A run for ${benchmark} on ${effectiveOn} is under way`, 'run_under_way')
  return source
}

/**
 * Stores a run, which a worker executes.
 *
 * @returns its id.
 */
export async function requestRun(sql: Sql, { benchmark, effectiveOn }: RunInput, now: Date, requestedBy: string): Promise<string> {
  const runId = uuidv7()
  const run = { run_id: runId, benchmark_code: benchmark, effective_on: effectiveOn, requested_at: now, requested_by: requestedBy }
  if (!(await insertRun(sql, run))) throw new LedgerRefusal(`A run for ${benchmark} on ${effectiveOn} is under way`, 'run_under_way')
  return runId
}
