import { hash } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import type { AutopayRules } from '#domain/autopay.ts'
import { dayInIndia, type Day } from '#domain/calendar.ts'
import { paise } from '#domain/money.ts'
import { floatingRateOn } from '#domain/rate-resets.ts'
import type { Context } from '../context.ts'
import type { Database, Sql } from '../database/connect.ts'
import { writeUnderLease, type Lease } from '../database/lease.ts'
import { Failure } from '../http/failure.ts'
import { readRunToRequest, type RunInput } from './request-run.ts'
import { computeChunks, loansPerBatch, readRunSource, type LoanReset, type RunSource } from './run-rate-resets.ts'
import {
  addPreview,
  deletePreviewsBefore,
  findPreview,
  findRequestedPreview,
  finishPreview,
  readRunFigures,
  requestPreview,
  saveLoanFigures,
  type LoanFigures,
  type PreviewKey,
  type RunFigures,
} from './run-preview-store.ts'
import { countLoans, findLoansOfProducts, firstPosition } from './run-store.ts'

type PreviewContext = Pick<Context, 'database' | 'clock'>

/** A preview is valid for the rates and products of its run, and for one day. */
function keyOf({ benchmark, effectiveOn }: RunInput, { rates, products }: RunSource, today: Day): PreviewKey {
  const newRates = products.map(({ code, version, rate }) => [code, version, rate, floatingRateOn(rates, rate.spread_ppb, effectiveOn)])
  const sorted = newRates.map((one) => JSON.stringify(one)).toSorted()
  return { benchmark_code: benchmark, effective_on: effectiveOn, computed_on: today, basis: hash('sha256', sorted.join('\n')) }
}

type OpenPreview = { previewId: string; source: RunSource; today: Day }

/** Finds the preview of a run, or adds it. @throws LedgerRefusal if the run is not possible. */
async function openPreview(sql: Sql, input: RunInput, now: Date): Promise<OpenPreview> {
  const source = await readRunToRequest(sql, input, now)
  const today = dayInIndia(now)
  const key = keyOf(input, source, today)
  await addPreview(sql, key, uuidv7(), now)
  const found = await findPreview(sql, key)
  if (!found) throw new Error(`The preview of a run for ${input.benchmark} was deleted before it was read`)
  return { previewId: found.preview_id, source, today }
}

/**
 * Completes the stored figures of a run, so that {@link readPreview} can add them up. Up to one
 * chunk of loans is computed here; a worker computes more.
 *
 * @throws LedgerRefusal if the run is not possible, or Failure PreviewInProgress with the progress.
 */
export async function preparePreview({ database, clock }: PreviewContext, input: RunInput): Promise<void> {
  const now = clock.now()
  const { preview, outdated } = await database.asSystem(async (sql) => {
    const opened = await openPreview(sql, input, now)
    return { preview: opened, outdated: await countLoans(sql, opened.source.products, opened.previewId) }
  })
  const { previewId, source } = preview
  if (outdated <= loansPerBatch) {
    await computeOutdated(database, database.asSystem, preview)
    return
  }
  const total = await database.asSystem(async (sql) => {
    await requestPreview(sql, previewId, now)
    return countLoans(sql, source.products)
  })
  throw new Failure('PreviewInProgress', 'The figures of this run are being computed. Ask again in a moment.', {
    progress: { done: Math.max(0, total - outdated), total },
  })
}

/** Does the same as {@link preparePreview}, but computes all loans here. */
export async function computePreview(
  { database, clock }: PreviewContext,
  input: RunInput,
  onProgress: (loans: number) => void,
): Promise<void> {
  const preview = await database.asSystem((sql) => openPreview(sql, input, clock.now()))
  await computeOutdated(database, database.asSystem, preview, onProgress)
}

/**
 * Adds up the stored figures of a run, and reads the benchmark's rate on its day.
 *
 * @throws LedgerRefusal if the run is not possible.
 */
export async function readPreview(
  sql: Sql,
  input: RunInput,
  { now, rules }: { now: Date; rules: Pick<AutopayRules, 'upiDebitMaximumPaise'> },
): Promise<RunFigures & { annualRatePpb: number | null }> {
  const { previewId, source } = await openPreview(sql, input, now)
  const rate = source.rates.findLast(({ effectiveOn }) => effectiveOn <= input.effectiveOn)
  return { ...(await readRunFigures(sql, previewId, rules)), annualRatePpb: rate?.annualRatePpb ?? null }
}

/**
 * Computes the loans of a preview that are missing or have changed. Stored figures stay, so a
 * stopped computation continues.
 *
 * @returns the number of loans.
 */
async function computeOutdated(
  database: Database,
  write: Database['asSystem'],
  { previewId, source, today }: OpenPreview,
  onProgress: (loans: number) => void = () => {},
): Promise<number> {
  const chunks = computeChunks(database, source, {
    find: (sql, after, limit) => findLoansOfProducts(sql, source.products, after, limit, previewId),
    from: firstPosition,
    today,
  })
  let done = 0
  for await (const { loans, resets } of chunks) {
    const byLoan = new Map(resets.map((reset) => [reset.loan.loan_id, reset]))
    await write((sql) =>
      saveLoanFigures(
        sql,
        previewId,
        loans.map((loan) => ({ loan, ...figuresOf(byLoan.get(loan.loan_id)) })),
      ),
    )
    done += loans.length
    onProgress(done)
  }
  return done
}

function figuresOf(reset: LoanReset | undefined): Omit<LoanFigures, 'loan'> {
  if (!reset) return { instalmentPaise: null, risePaise: null }
  const { unchanged, fallback } = reset.computed
  const rise = fallback.outcome.instalmentPaise - unchanged.instalmentPaise
  return { instalmentPaise: fallback.outcome.instalmentPaise, risePaise: paise(rise > 0n ? rise : 0n) }
}

/**
 * Computes the previews that were requested, the oldest first, and deletes those of earlier days.
 *
 * @returns the number of loans.
 */
export async function computeRequestedPreviews(
  { database, clock }: PreviewContext,
  lease: Pick<Lease, 'confirm' | 'signal'>,
): Promise<number> {
  const write = writeUnderLease(database, lease)
  await write((sql) => deletePreviewsBefore(sql, dayInIndia(clock.now())))
  let computed = 0
  for (;;) {
    const today = dayInIndia(clock.now())
    const requested = await database.asSystem((sql) => findRequestedPreview(sql, today))
    if (!requested) return computed
    const source = await database.asSystem((sql) => readRunSource(sql, requested.benchmark_code, requested.effective_on))
    const input = { benchmark: requested.benchmark_code, effectiveOn: requested.effective_on }
    // No request reads the figures of rates or products that have changed since.
    if (keyOf(input, source, today).basis === requested.basis)
      computed += await computeOutdated(database, write, { previewId: requested.preview_id, source, today })
    await write((sql) => finishPreview(sql, requested.preview_id, clock.now()))
  }
}
