import { uuidv7 } from 'uuidv7'
import { dayInIndia, type Day } from '#domain/calendar.ts'
import { hourMs } from '#domain/durations.ts'
import { InvariantViolation, reportViolation } from '#domain/invariants.ts'
import type { LoanFacts } from '#domain/loans.ts'
import { textDelayMs } from '#domain/notices.ts'
import { floatingRateOn, isResetDue, notifyUntil } from '#domain/rate-resets.ts'
import { computeResetDefault, type ResetDefault } from '#domain/reset-offer.ts'
import { percentText } from '#domain/written-figures.ts'
import { addNotices, type NewNotice } from '../add-notice.ts'
import type { Context } from '../context.ts'
import type { Database, Sql } from '../database/connect.ts'
import { writeUnderLease, type Lease } from '../database/lease.ts'
import { executeTogether, type RowsOf } from '../database/statement.ts'
import { buildFacts, factsOfSeveral, type FactLists } from '../loans/facts-store.ts'
import type { LoanRow } from '../loans/loan-store.ts'
import { listBenchmarkRates, listFloatingProducts, type BenchmarkRate, type FloatingProduct } from './benchmark-store.ts'
import { insertResets, undecidedResetsOfSeveral } from './reset-store.ts'
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

export const loansPerBatch = 500
/** How many chunks are read at the same time, each on a connection of its own. */
const chunksAhead = 2
const noticesPerBatch = 1_000

/** The text messages of a run are sent within an hour of its notices. */
const textsSentWithinMs = hourMs

/** The day on which the notices of a run have arrived, by text message too: none comes at night. */
export function arrivalDay(notifiedAt: Date): Day {
  const sent = new Date(notifiedAt.getTime() + textsSentWithinMs)
  return dayInIndia(new Date(sent.getTime() + textDelayMs('rate_reset_notified', sent)))
}

/** One loan's new rate. */
export type LoanReset = { loan: LoanRow; toRatePpb: number; instalmentsMax: number; computed: ResetDefault }

/** The benchmark of a run, with its rates and the products that follow it. */
export type RunSource = { effectiveOn: Day; rates: readonly BenchmarkRate[]; products: readonly FloatingProduct[] }

export async function readRunSource(sql: Sql, benchmark: string, effectiveOn: Day): Promise<RunSource> {
  return { effectiveOn, rates: await listBenchmarkRates(sql, benchmark), products: await listFloatingProducts(sql, benchmark) }
}

type Chunk = { loans: readonly LoanRow[]; resets: LoanReset[]; last: LoanPosition }

/** Finds the next loans by key. */
type FindLoans = (sql: Sql, after: LoanPosition, limit: number) => Promise<LoanRow[]>

/** Loans with their facts, and the resets of their borrowers that are not decided yet. */
type ReadLoans = {
  loans: readonly LoanRow[]
  factRows: readonly FactLists[]
  undecided: RowsOf<[ReturnType<typeof undecidedResetsOfSeveral>]>[0]
}

/**
 * Reads loans by key and computes their resets. The next chunks are read while the caller works on
 * one: what changes in between has another ledger sequence than the reset, which is then computed
 * again.
 *
 * @param find finds the loans after the last of a chunk.
 * @returns chunks of all loans that were found, with the resets of those that need one.
 */
export async function* computeChunks(
  database: Database,
  source: RunSource,
  { find, from, today }: { find: FindLoans; from: LoanPosition; today: Day },
): AsyncGenerator<Chunk> {
  for await (const { loans, factRows, undecided } of readAhead(database, find, from)) {
    const last = loans.at(-1)
    if (!last) return
    const facts = buildFacts(loans, factRows)
    const undecidedOf = Map.groupBy(undecided, ({ loan_id: loanId }) => loanId)
    const resets = loans.flatMap((loan) => {
      const own = facts.get(loan.loan_id)
      const undecidedDays = undecidedOf.get(loan.loan_id)?.map((one) => one.effective_on) ?? []
      const reset = own && computeReset(loan, own, undecidedDays, source, today)
      return reset ? [reset] : []
    })
    yield { loans, resets, last: positionOf(last) }
  }
}

/**
 * Reads the facts of several chunks at once. Facts take the database most of the time of a run, and
 * it reads them on a core for each connection.
 */
async function* readAhead(database: Database, find: FindLoans, from: LoanPosition): AsyncGenerator<ReadLoans> {
  const reading: Promise<ReadLoans>[] = []
  let after: LoanPosition | null = from
  for (;;) {
    while (after !== null && reading.length < chunksAhead) {
      const position: LoanPosition = after
      const loans = await database.asSystem((sql) => find(sql, position, loansPerBatch))
      const facts = readFactsOf(database, loans)
      // Its error is reported when it is awaited.
      facts.catch(() => {})
      reading.push(facts)
      const last = loans.at(-1)
      after = last && loans.length === loansPerBatch ? positionOf(last) : null
    }
    const next = reading.shift()
    if (next === undefined) return
    yield await next
  }
}

const positionOf = ({ borrower_id: borrowerId, loan_id: loanId }: LoanRow): LoanPosition => ({ borrowerId, loanId })

async function readFactsOf({ asSystem }: Database, loans: readonly LoanRow[]): Promise<ReadLoans> {
  if (loans.length === 0) return { loans, factRows: [], undecided: [] }
  const borrowerIds = [...new Set(loans.map(({ borrower_id }) => borrower_id))]
  // In this order: a reset that is decided in between is in both, and not in neither.
  const [undecided, factRows] = await asSystem((sql) =>
    executeTogether(sql, [undecidedResetsOfSeveral(borrowerIds), factsOfSeveral(borrowerIds)]),
  )
  return { loans, factRows, undecided }
}

function computeReset(
  loan: LoanRow,
  facts: LoanFacts,
  undecidedDays: readonly Day[],
  { effectiveOn, rates, products }: RunSource,
  today: Day,
): LoanReset | null {
  const product = products.find(({ code, version }) => code === loan.product_code && version === loan.product_version)
  if (!product) return null
  const { rate } = product
  const toRatePpb = floatingRateOn(rates, rate.spread_ppb, effectiveOn)
  if (toRatePpb === null) return null
  const changeDays = [...facts.rateChanges.map(({ date }) => date), ...undecidedDays]
  if (!isResetDue({ sanctionedOn: loan.sanctioned_on, changeDays }, rate.reset_months, effectiveOn)) return null
  const computed = computeOrReport(loan, () =>
    computeResetDefault(facts, today, { effectiveOn, toRatePpb, instalmentsMax: rate.instalments_max }),
  )
  return computed === null || typeof computed === 'string' ? null : { loan, toRatePpb, instalmentsMax: rate.instalments_max, computed }
}

/** Reports a loan whose figures cannot be true. It has no reset, and the run continues. */
function computeOrReport<T>({ lan }: LoanRow, compute: () => T): T | null {
  try {
    return compute()
  } catch (error) {
    if (!(error instanceof InvariantViolation)) throw error
    reportViolation({ loanNumber: lan, violation: error.message })
    return null
  }
}

type RunContext = Pick<Context, 'database' | 'clock' | 'log' | 'failPoint'>

/**
 * Does the runs that are under way, the oldest first: computes the resets of all loans, then
 * notifies the borrowers. Each chunk is one transaction with the run's position, so a run that was
 * stopped continues where it was, and nobody is notified twice.
 *
 * @returns the number of loans read and borrowers notified.
 */
export async function runRateResets(
  context: RunContext,
  lease: Pick<Lease, 'confirm' | 'signal'>,
  onProgress: (done: number) => void = () => {},
): Promise<number> {
  let done = 0
  for (;;) {
    const run = await context.database.asSystem(findNextRun)
    if (!run) return done
    for await (const count of doRun(context, run, writeUnderLease(context.database, lease))) {
      done += count
      onProgress(done)
      await context.failPoint('reset_chunk_written')
    }
  }
}

async function* doRun(context: RunContext, run: RunRow, write: Database['asSystem']): AsyncGenerator<number> {
  if (run.phase === 'computing') yield* computeRun(context, run, write)
  let notified = run.notified
  for (;;) {
    const count = await write((sql) => notifyChunk(sql, { ...run, notified }, context.clock.now()))
    if (count === null) break
    notified += BigInt(count)
    yield count
  }
  context.log.info({ run: run.run_id, notified: String(notified) }, 'rate resets computed and notified')
}

async function* computeRun({ database, clock }: RunContext, run: RunRow, write: Database['asSystem']): AsyncGenerator<number> {
  const source = await database.asSystem((sql) => readRunSource(sql, run.benchmark_code, run.effective_on))
  const chunks = computeChunks(database, source, {
    find: (sql, after, limit) => findLoansOfProducts(sql, source.products, after, limit),
    from: { borrowerId: run.after_borrower_id, loanId: run.after_loan_id },
    today: dayInIndia(clock.now()),
  })
  let { loans_read: loansRead, loans_reset: loansReset } = run
  for await (const { loans, resets, last } of chunks) {
    loansRead += BigInt(loans.length)
    loansReset += BigInt(
      await write(async (sql) => {
        const inserted = await insertResets(
          sql,
          resets.map((reset) => toRow(run, reset)),
        )
        await saveRun(sql, run.run_id, {
          loans_read: loansRead,
          loans_reset: loansReset + BigInt(inserted),
          after_borrower_id: last.borrowerId,
          after_loan_id: last.loanId,
        })
        return inserted
      }),
    )
    yield loans.length
  }
  await write((sql) => saveRun(sql, run.run_id, { phase: 'notifying' }))
}

const toRow = (run: RunRow, { loan, toRatePpb, instalmentsMax, computed: { fromRatePpb, fallback } }: LoanReset) => ({
  borrower_id: loan.borrower_id,
  reset_id: uuidv7(),
  loan_id: loan.loan_id,
  run_id: run.run_id,
  state: 'computed' as const,
  from_rate_ppb: BigInt(fromRatePpb),
  to_rate_ppb: BigInt(toRatePpb),
  effective_on: run.effective_on,
  instalments_max: instalmentsMax,
  default_choice: fallback.choice,
  default_instalment_paise: fallback.outcome.instalmentPaise,
  instalment_paise: fallback.outcome.instalmentPaise,
  last_due_on: fallback.outcome.lastDueDate,
  ledger_sequence: loan.ledger_sequence,
})

/**
 * Notifies the next borrowers. Resets that would be announced too late are withdrawn: the lender
 * has to make another run.
 *
 * @returns the number of notified borrowers; null if the run has ended.
 */
async function notifyChunk(sql: Sql, run: RunRow, now: Date): Promise<number | null> {
  const resets = await findComputedResets(sql, run.run_id, noticesPerBatch)
  if (resets.length === 0) {
    await saveRun(sql, run.run_id, { phase: 'finished', finished_at: now })
    return null
  }
  const isTooLate = arrivalDay(now) > notifyUntil(run.effective_on)
  await moveComputed(sql, resets, isTooLate ? 'withdrawn' : 'notified', now)
  if (isTooLate) return 0
  await addNotices(sql, resets.map(noticeOf), now)
  await saveRun(sql, run.run_id, { notified: run.notified + BigInt(resets.length) })
  return resets.length
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
