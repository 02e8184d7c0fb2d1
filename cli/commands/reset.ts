import type { Command } from 'commander'
import { setTimeout as delay } from 'node:timers/promises'
import { pino } from 'pino'
import type { AutopayRules } from '#domain/autopay.ts'
import type { Day } from '#domain/calendar.ts'
import { paiseToRupeesText } from '#domain/money.ts'
import { resetNoticeDays } from '#domain/rate-resets.ts'
import { runWithLease } from '#server/database/lease.ts'
import type { Database } from '#server/database/connect.ts'
import { listFloatingProducts } from '#server/rate-resets/benchmark-store.ts'
import { computePreview, readPreview } from '#server/rate-resets/preview-run.ts'
import { readRunToRequest, requestRun, type RunInput } from '#server/rate-resets/request-run.ts'
import type { RunFigures } from '#server/rate-resets/run-preview-store.ts'
import { rateResetsLease, runRateResets } from '#server/rate-resets/run-rate-resets.ts'
import { countLoans, findRun, type RunRow } from '#server/rate-resets/run-store.ts'
import { logOperatorAct } from '#server/staff/operator.ts'
import { createFailPoints } from '#server/config/fail-points.ts'
import { CommandError } from '#cli/command-error.ts'
import { changesData, withOperator, type OperatorContext } from '#cli/operator-context.ts'
import { benchmarkOption, dayOption } from '#cli/options.ts'
import { createProgress, withProgress } from '#cli/progress.ts'

type Run = { benchmark: string; effectiveOn: Day; yes?: boolean }

/** `kist reset run`. */
export function addResetCommands(program: Command): void {
  const reset = program.command('reset').description('resets of floating rates')
  changesData(reset.command('run'))
    .description('reset the rates of all loans under a benchmark, and notify the borrowers; run again, it resets only the missing loans')
    .requiredOption('--benchmark <code>', 'such as RBI_REPO', benchmarkOption)
    .requiredOption('--effective-on <date>', 'the first day of the new rates, at least 15 days from today', dayOption)
    .option('--yes', 'do it; without it only print what would be reset')
    .action(async (options: Run, command: Command) =>
      console.log(
        await withOperator(command, (context, config) =>
          run(
            {
              ...context,
              rules: config.autopay.rules,
              failPoint: createFailPoints(config.failPoints.orders, config.failPoints.directory),
            },
            options,
          ),
        ),
      ),
    )
}

type RunContext = OperatorContext & { rules: AutopayRules; failPoint: ReturnType<typeof createFailPoints> }

/**
 * @returns lines for the operator. Without `yes` no rate is reset.
 * @throws CommandError if resets were withdrawn because their notices would come too late.
 */
export async function run({ operator, rules, ...context }: RunContext, { benchmark, effectiveOn, yes = false }: Run): Promise<string> {
  const { database, clock } = context
  const now = clock.now()
  if (!yes) {
    const figures = await preview({ database, clock, rules }, { benchmark, effectiveOn })
    const rise =
      figures.largestRiseLan === null
        ? 'no EMI rises'
        : `the largest rise of an EMI is ₹${paiseToRupeesText(figures.largestRisePaise)} (loan ${figures.largestRiseLan})`
    return `would reset ${figures.loans} of ${figures.loansRead} loans under ${benchmark} on ${effectiveOn}; ${rise}; give --yes to do it`
  }
  const runId = await database.asSystem(async (sql) => {
    await readRunToRequest(sql, { benchmark, effectiveOn }, now)
    const id = await requestRun(sql, { benchmark, effectiveOn }, now, operator.actorId)
    await logOperatorAct(sql, operator, {
      at: now,
      subjectId: `benchmark:${benchmark}`,
      action: 'rate_resets_requested',
      detail: { run: id, effective_on: effectiveOn },
    })
    return id
  })
  const ended = await awaitRun(context, runId, await countLoansUnder(database, benchmark))
  const withdrawn = ended.loans_reset - ended.notified
  if (withdrawn > 0n)
    throw new CommandError(
      `${withdrawn} of ${ended.loans_reset} resets under ${benchmark} on ${effectiveOn} are withdrawn: their borrowers would be notified ` +
        `less than ${resetNoticeDays} days before; reset those loans on a later day`,
    )
  return `reset ${ended.loans_reset} of ${ended.loans_read} loans under ${benchmark} on ${effectiveOn}; ${ended.notified} borrowers notified`
}

/** Computes what a run would do, and changes no loan. */
async function preview(context: Pick<RunContext, 'database' | 'clock' | 'rules'>, input: RunInput): Promise<RunFigures> {
  const { database, clock, rules } = context
  await database.asSystem((sql) => readRunToRequest(sql, input, clock.now()))
  const loans = await countLoansUnder(database, input.benchmark)
  await withProgress('computing', (onProgress) => computePreview(context, input, (done) => onProgress(done, loans)))
  return database.asSystem((sql) => readPreview(sql, input, { now: clock.now(), rules }))
}

const countLoansUnder = (database: Database, benchmark: string): Promise<number> =>
  database.asSystem(async (sql) => countLoans(sql, await listFloatingProducts(sql, benchmark)))

const pollMs = 500

/** Works on the run, or waits for the worker that does. */
async function awaitRun(context: Omit<RunContext, 'operator' | 'rules'>, runId: string, loans: number): Promise<RunRow> {
  const progress = createProgress('resetting')
  // A run takes two steps for each loan: reset and notify.
  const onProgress = (done: number) => progress.update(done, 2 * loans)
  for (;;) {
    await runWithLease(context.database, { name: rateResetsLease }, (lease) =>
      runRateResets({ ...context, log: pino({ level: 'silent' }) }, lease, onProgress),
    )
    const run = await readRun(context.database, runId)
    if (run.phase !== 'finished') await delay(pollMs)
    else return (progress.end(), run)
  }
}

async function readRun(database: Database, runId: string): Promise<RunRow> {
  const run = await database.asSystem((sql) => findRun(sql, runId))
  if (!run) throw new Error(`There is no run ${runId}`)
  return run
}
