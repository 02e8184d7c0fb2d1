import type { Command } from 'commander'
import type { Day } from '#domain/calendar.ts'
import { percentText } from '#domain/written-figures.ts'
import { publishBenchmark } from '#server/rate-resets/publish-benchmark.ts'
import { logOperatorAct } from '#server/staff/operator.ts'
import { changesData, printing, withOperator, type OperatorContext } from '#cli/operator-context.ts'
import { benchmarkOption, dayOption, percentOption } from '#cli/options.ts'

type Publish = { code: string; percent: number; effectiveOn: Day }

/** `kist benchmark publish`. */
export function addBenchmarkCommands(program: Command): void {
  const benchmark = program.command('benchmark').description('the rates that floating loans follow')
  changesData(benchmark.command('publish'))
    .description('publish the rate of a benchmark from a day on; a published rate never changes')
    .requiredOption('--code <code>', 'such as RBI_REPO', benchmarkOption)
    .requiredOption('--percent <percent>', 'the yearly rate', percentOption)
    .requiredOption('--effective-on <date>', 'the first day of the rate', dayOption)
    .action(printing(withOperator, publish))
}

/** @returns a line for the operator. */
export function publish({ database, clock, operator }: OperatorContext, { code, percent, effectiveOn }: Publish): Promise<string> {
  return database.asSystem(async (sql) => {
    const now = clock.now()
    await publishBenchmark(sql, { code, annualRatePpb: percent, effectiveOn }, now, operator.actorId)
    await logOperatorAct(sql, operator, {
      at: now,
      subjectId: `benchmark:${code}`,
      action: 'benchmark_published',
      detail: { annual_rate_ppb: percent, effective_on: effectiveOn },
    })
    return `published: ${code} is ${percentText(percent)} from ${effectiveOn}`
  })
}
