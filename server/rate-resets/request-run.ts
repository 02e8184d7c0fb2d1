import { uuidv7 } from 'uuidv7'
import { addDays, dayInIndia, type Day } from '#domain/calendar.ts'
import { paise, type Paise } from '#domain/money.ts'
import { notifyUntil, resetAheadDaysMax, resetNoticeDays } from '#domain/rate-resets.ts'
import type { Sql } from '../database/connect.ts'
import { LedgerRefusal } from '../ledger/ledger-refusal.ts'
import { computeChunks, readRunSource, riseOf, type RunSource } from './run-rate-resets.ts'
import { findMandateCaps, findOpenRunOf, firstPosition, insertRun } from './run-store.ts'

type RunInput = { benchmark: string; effectiveOn: Day }

/** What a run would do. */
type RunFigures = {
  /** The loans whose rate changes. */
  loans: number
  /** The loans under the benchmark that were looked at. */
  loansRead: number
  /** The largest rise of an EMI by the default; 0 if none rises. */
  largestRisePaise: Paise
  /** The loan with that rise. */
  largestRiseLan: string | null
  /** The loans whose EMI rises by the default. */
  emisRaised: number
  /** The loans whose EMI is then more than their mandate allows. */
  capsExceeded: number
}

/**
 * Reads what a run resets.
 *
 * @throws LedgerRefusal if the run is not possible.
 */
export async function readRunToRequest(sql: Sql, { benchmark, effectiveOn }: RunInput, now: Date): Promise<RunSource> {
  const today = dayInIndia(now)
  if (notifyUntil(effectiveOn) < today)
    throw new LedgerRefusal(
      `Borrowers are notified at least ${resetNoticeDays} days before: the first possible day is ${addDays(today, resetNoticeDays)}`,
    )
  if (effectiveOn > addDays(today, resetAheadDaysMax))
    throw new LedgerRefusal(
      `The day is more than ${resetAheadDaysMax} days ahead: ${addDays(today, resetAheadDaysMax)} is the last possible one`,
    )
  const source = await readRunSource(sql, benchmark, effectiveOn)
  if (source.rates.every((rate) => rate.effectiveOn > effectiveOn))
    throw new LedgerRefusal(`The benchmark ${benchmark} has no rate on ${effectiveOn}: publish it first`)
  if (source.products.length === 0) throw new LedgerRefusal(`No product follows the benchmark ${benchmark}`)
  if (await findOpenRunOf(sql, benchmark, effectiveOn)) throw new LedgerRefusal(`A run for ${benchmark} on ${effectiveOn} is under way`)
  return source
}

/** Computes what a run would do, loan by loan, without writing anything. */
export async function previewRun(sql: Sql, source: RunSource, now: Date): Promise<RunFigures> {
  const today = dayInIndia(now)
  const figures: RunFigures = { loans: 0, loansRead: 0, largestRisePaise: paise(0n), largestRiseLan: null, emisRaised: 0, capsExceeded: 0 }
  for await (const { read, resets } of computeChunks((work) => work(sql), source, firstPosition, today)) {
    figures.loansRead += read
    figures.loans += resets.length
    const caps = await findMandateCaps(sql, [...new Set(resets.map(({ loan }) => loan.borrower_id))])
    for (const reset of resets) {
      const rise = riseOf(reset)
      if (rise > 0n) figures.emisRaised += 1
      const cap = caps.get(reset.loan.loan_id)
      if (cap !== undefined && reset.computed.fallback.outcome.instalmentPaise > cap) figures.capsExceeded += 1
      if (rise <= figures.largestRisePaise) continue
      figures.largestRisePaise = rise
      figures.largestRiseLan = reset.loan.lan
    }
  }
  return figures
}

/**
 * Stores a run, which a worker then does.
 *
 * @returns its id.
 */
export async function requestRun(sql: Sql, { benchmark, effectiveOn }: RunInput, now: Date, requestedBy: string): Promise<string> {
  const runId = uuidv7()
  const run = { run_id: runId, benchmark_code: benchmark, effective_on: effectiveOn, requested_at: now, requested_by: requestedBy }
  if (!(await insertRun(sql, run))) throw new LedgerRefusal(`A run for ${benchmark} on ${effectiveOn} is under way`)
  return runId
}
