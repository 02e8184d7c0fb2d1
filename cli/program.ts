import { Command, CommanderError } from 'commander'
import { dayInIndia } from '#domain/calendar.ts'
import { ConfigError, readClockConfig } from '#server/config/read-config.ts'
import { addAuditCommands } from '#cli/commands/audit.ts'
import { addBackupCommands } from '#cli/backup/backup.ts'
import { addBenchmarkCommands } from '#cli/commands/benchmark.ts'
import { addBucketCommands } from '#cli/commands/bucket.ts'
import { addChargeCommands } from '#cli/commands/charge.ts'
import { check, checkReport } from '#cli/commands/check.ts'
import { createClock, withDatabase } from './database-context.ts'
import { addDistributeCommand } from '#cli/commands/distribute.ts'
import { addDoctorCommand } from '#cli/doctor/doctor.ts'
import { addForeclosureCommands } from '#cli/commands/foreclosure.ts'
import { addJobsCommands } from '#cli/commands/jobs.ts'
import { addReconcileCommand } from '#cli/commands/reconcile.ts'
import { addRefundCommands } from '#cli/commands/refund.ts'
import { addResetCommands } from '#cli/commands/reset.ts'
import { addReviewCommands } from '#cli/commands/review.ts'
import { addSeedCommand } from '#cli/commands/seed.ts'
import { addImportCommand } from '#cli/import/import.ts'
import { readInput } from './read-input.ts'
import { addMigrateCommand } from '#cli/commands/migrate.ts'
import { addPaperCommands } from '#cli/commands/paper.ts'
import { addPaymentCommands } from '#cli/commands/payment.ts'
import { addPersonCommands } from '#cli/commands/person.ts'
import { addProductCommands } from '#cli/commands/product.ts'
import { ScheduleInputError, scheduleCommand } from '#cli/schedule/schedule.ts'
import { addStaffCommands } from '#cli/commands/staff.ts'
import { addTrancheCommands } from '#cli/commands/tranche.ts'

/**
 * Runs one command of the operator's tool. @returns the exit code; an error is already printed as
 * one line on standard error.
 */
export async function runKist(args: readonly string[]): Promise<number> {
  let brokenCode = 0
  const program = createProgram(() => {
    brokenCode = 1
  })
  try {
    await program.parseAsync([...args], { from: 'user' })
    return brokenCode
  } catch (error) {
    // commander has printed its message.
    if (error instanceof CommanderError) return error.exitCode
    console.error(`kist: ${errorMessage(error)}`)
    return error instanceof ScheduleInputError ? 2 : 1
  }
}

/** Every command of the tool. */
export function createProgram(reportFailure: () => void): Command {
  const program = new Command('kist')
    .description("The operator's tool of the Kist portal. It uses the same settings as the server.")
    .exitOverride()
    .configureOutput({ writeOut: (text) => console.log(text.trimEnd()), writeErr: (text) => console.error(text.trimEnd()) })
  program
    .command('schedule')
    .description("print a loan's computed state as JSON; no database is touched")
    .argument('<file>', 'JSON of one loan or an array of loans; - reads standard input')
    .addHelpText('after', '\nWithout events and as_of, the rows are those of the agreed schedule; all else is as of today in India.')
    .action((file: string) => {
      process.stdout.write(scheduleCommand(readInput(file), () => dayInIndia(createClock(readClockConfig(process.env)).now())))
    })
  program
    .command('check')
    .description('check every ledger and state invariant over the whole database; exit 1 when one is broken')
    .action(async () => {
      const result = await withDatabase(check)
      console.log(checkReport(result))
      if (result.broken.length > 0) reportFailure()
    })
  addMigrateCommand(program)
  addDistributeCommand(program)
  addBucketCommands(program)
  addImportCommand(program)
  addPaperCommands(program)
  addPaymentCommands(program)
  addRefundCommands(program)
  addReviewCommands(program)
  addReconcileCommand(program)
  addJobsCommands(program)
  addChargeCommands(program)
  addForeclosureCommands(program)
  addProductCommands(program)
  addSeedCommand(program)
  addStaffCommands(program)
  addTrancheCommands(program)
  addBenchmarkCommands(program)
  addResetCommands(program)
  addAuditCommands(program, reportFailure)
  addBackupCommands(program, reportFailure)
  addPersonCommands(program)
  addDoctorCommand(program, reportFailure)
  return program
}

/** The error as one line. */
function errorMessage(error: unknown): string {
  if (error instanceof ConfigError) return `the settings are invalid: ${error.faults.join('; ')}`
  // undefined_table, undefined_column
  if (['42P01', '42703'].includes((error as { code?: string }).code ?? ''))
    return `the database is not at the schema of this version (${(error as Error).message}): run kist migrate`
  return (error instanceof Error ? error.message : String(error)).replaceAll(/\s*\n\s*/g, ' ')
}
