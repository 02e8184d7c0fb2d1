import { uuidv7 } from 'uuidv7'
import { dayInIndia, type Day } from '#domain/calendar.ts'
import type { LoanFacts } from '#domain/loans.ts'
import { paise, type Paise } from '#domain/money.ts'
import { floatingRateOn, isResetDue, notifyUntil } from '#domain/rate-resets.ts'
import { computeResetDefault, type ResetDefault } from '#domain/reset-offer.ts'
import { percentText } from '#domain/written-figures.ts'
import { addNotices, type NewNotice } from '../add-notice.ts'
import type { Context } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import type { Lease } from '../database/lease.ts'
import { executeTogether } from '../database/statement.ts'
import { buildFacts, factsOfSeveral } from '../loans/facts-store.ts'
import type { LoanRow } from '../loans/loan-store.ts'
import { listBenchmarkRates, listFloatingProducts, type BenchmarkRate, type FloatingProduct } from './benchmark-store.ts'
import { insertResets } from './reset-store.ts'
import {
  findComputedResets,
  findLoansOfProducts,
  findNextRun,
  moveComputed,
  saveRun,
  type ComputedReset,
  type LoanPosition,
  type RunRow,
} from './run-store.ts'

/** The lease of this work, which `kist reset run` takes too. */
export const rateResetsLease = 'rate resets'

const loansAtOnce = 500
const noticesAtOnce = 1_000

/** One loan's new rate. */
type LoanReset = { loan: LoanRow; toRatePpb: number; instalmentsMax: number; computed: ResetDefault }

/** The benchmark of a run, with its rates and the products that follow it. */
export type RunSource = { effectiveOn: Day; rates: readonly BenchmarkRate[]; products: readonly FloatingProduct[] }

export async function readRunSource(sql: Sql, benchmark: string, effectiveOn: Day): Promise<RunSource> {
  return { effectiveOn, rates: await listBenchmarkRates(sql, benchmark), products: await listFloatingProducts(sql, benchmark) }
}

type Chunk = { read: number; resets: LoanReset[]; last: LoanPosition | null }

/** Reads the next loans by key and computes their resets. Loans that need none are left out. */
export async function computeChunk(sql: Sql, source: RunSource, after: LoanPosition, today: Day): Promise<Chunk> {
  const loans = await findLoansOfProducts(sql, source.products, after, loansAtOnce)
  const last = loans.at(-1)
  if (!last) return { read: 0, resets: [], last: null }
  const [rows] = await executeTogether(sql, [factsOfSeveral([...new Set(loans.map(({ borrower_id }) => borrower_id))])])
  const facts = buildFacts(loans, rows)
  const resets = loans.flatMap((loan) => {
    const own = facts.get(loan.loan_id)
    const reset = own && computeReset(loan, own, source, today)
    return reset ? [reset] : []
  })
  return { read: loans.length, resets, last: { borrowerId: last.borrower_id, loanId: last.loan_id } }
}

function computeReset(loan: LoanRow, facts: LoanFacts, { effectiveOn, rates, products }: RunSource, today: Day): LoanReset | null {
  const product = products.find(({ code, version }) => code === loan.product_code && version === loan.product_version)
  if (!product) return null
  const { rate } = product
  const toRatePpb = floatingRateOn(rates, rate.spread_ppb, effectiveOn)
  if (toRatePpb === null) return null
  if (!isResetDue({ sanctionedOn: loan.sanctioned_on, rateChanges: facts.rateChanges }, rate.reset_months, effectiveOn)) return null
  const computed = computeResetDefault(facts, today, { effectiveOn, toRatePpb, instalmentsMax: rate.instalments_max })
  return typeof computed === 'string' ? null : { loan, toRatePpb, instalmentsMax: rate.instalments_max, computed }
}

/** How much more the EMI is by the default. Not negative. */
export function riseOf({ computed: { unchanged, fallback } }: LoanReset): Paise {
  const rise = fallback.outcome.instalmentPaise - unchanged.instalmentPaise
  return paise(rise > 0n ? rise : 0n)
}

/**
 * Continues the oldest run that is under way until it ends: computes the resets of all loans, then
 * notifies the borrowers. Each chunk is one transaction with the run's position, so a run that was
 * stopped continues where it was, and nobody is notified twice.
 *
 * @returns the number of loans read and borrowers notified.
 */
export async function runRateResets(
  context: Pick<Context, 'database' | 'clock' | 'log' | 'failPoint'>,
  lease: Lease,
  onProgress: (done: number) => void = () => {},
): Promise<number> {
  let done = 0
  for (;;) {
    lease.signal.throwIfAborted()
    const step = await context.database.asSystem(async (sql) => {
      await lease.confirm(sql)
      return stepRun(sql, context.clock.now())
    })
    if (step === null) return done
    done += step.count
    onProgress(done)
    await context.failPoint('reset_chunk_written')
    if (step.finished) context.log.info(step.finished, 'rate resets computed and notified')
  }
}

type Step = { count: number; finished: Record<string, string> | null }

/** One chunk of the oldest run. Null without a run. */
export async function stepRun(sql: Sql, now: Date): Promise<Step | null> {
  const run = await findNextRun(sql)
  if (!run) return null
  return run.phase === 'computing' ? stepComputing(sql, run, now) : stepNotifying(sql, run, now)
}

async function stepComputing(sql: Sql, run: RunRow, now: Date): Promise<Step> {
  const source = await readRunSource(sql, run.benchmark_code, run.effective_on)
  const after = { borrowerId: run.after_borrower_id, loanId: run.after_loan_id }
  const { read, resets, last } = await computeChunk(sql, source, after, dayInIndia(now))
  const inserted = await insertResets(
    sql,
    resets.map((reset) => toRow(run, reset, now)),
  )
  await saveRun(sql, run.run_id, {
    loans_read: run.loans_read + BigInt(read),
    loans_reset: run.loans_reset + BigInt(inserted),
    ...(last === null ? { phase: 'notifying' as const } : { after_borrower_id: last.borrowerId, after_loan_id: last.loanId }),
  })
  return { count: read, finished: null }
}

const toRow = (run: RunRow, { loan, toRatePpb, instalmentsMax, computed: { fromRatePpb, unchanged, fallback } }: LoanReset, now: Date) => ({
  borrower_id: loan.borrower_id,
  reset_id: uuidv7(),
  loan_id: loan.loan_id,
  run_id: run.run_id,
  state: 'computed',
  from_rate_ppb: BigInt(fromRatePpb),
  to_rate_ppb: BigInt(toRatePpb),
  effective_on: run.effective_on,
  instalments_max: instalmentsMax,
  default_choice: fallback.choice,
  default_instalment_paise: fallback.outcome.instalmentPaise,
  instalment_before_paise: unchanged.instalmentPaise,
  instalment_paise: fallback.outcome.instalmentPaise,
  last_due_on: fallback.outcome.lastDueDate,
  ledger_sequence: loan.ledger_sequence,
  computed_at: now,
})

/** Resets that would be announced too late are withdrawn: the lender has to make another run. */
async function stepNotifying(sql: Sql, run: RunRow, now: Date): Promise<Step> {
  const resets = await findComputedResets(sql, run.run_id, noticesAtOnce)
  const isTooLate = dayInIndia(now) > notifyUntil(run.effective_on)
  await moveComputed(sql, resets, isTooLate ? 'withdrawn' : 'notified', now)
  const notified = run.notified + BigInt(isTooLate ? 0 : resets.length)
  if (resets.length > 0) {
    if (!isTooLate) await addNotices(sql, resets.map(noticeOf), now)
    await saveRun(sql, run.run_id, { notified })
    return { count: resets.length, finished: null }
  }
  await saveRun(sql, run.run_id, { phase: 'finished', finished_at: now })
  const { run_id: runId, loans_read: read, loans_reset: reset } = run
  return { count: 0, finished: { run: runId, loans: String(read), resets: String(reset), notified: String(notified) } }
}

const noticeOf = ({ borrower_id, reset_id, lan, ...reset }: ComputedReset): NewNotice => ({
  borrowerId: borrower_id,
  about: `reset:${reset_id}`,
  kind: 'rate_reset_notified',
  lan,
  amountPaise: reset.instalment_paise,
  date: reset.effective_on,
  subject: `${percentText(Number(reset.from_rate_ppb))} → ${percentText(Number(reset.to_rate_ppb))}`,
})
