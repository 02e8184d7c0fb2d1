import { InvalidArgumentError, type Command } from 'commander'
import { pino } from 'pino'
import type { AccessEntry } from '#server/access-log.ts'
import type { Config } from '#server/config/config.ts'
import { readConfig } from '#server/config/read-config.ts'
import type { Sql } from '#server/database/connect.ts'
import { createLog } from '#server/log.ts'
import { logOperatorAct, operatorDetail, unnamedOperator, type Operator } from '#server/staff/operator.ts'
import { findEnabledStaff, hasEnabledStaff } from '#server/staff/staff-store.ts'
import { withDatabase, type DatabaseContext } from './database-context.ts'
import { CommandError } from './command-error.ts'
import { phoneOption, reasonOption } from './options.ts'

/** The context of a command that changes data. */
export type OperatorContext = DatabaseContext & { operator: Operator }

/** Adds `--as` and `--reason`, the options of every command that changes data. */
export function changesData(command: Command): Command {
  return command
    .option('--as <phone>', 'phone of the staff member who gives the command (or KIST_OPERATOR); required in production', phoneOption)
    .option('--reason <words>', 'the reason for the access log (or KIST_REASON); required in production', reasonOption)
}

/**
 * Adds `--as` and `--reason` to a command that must also run where nobody can be named: before
 * there are tables or staff, or in a deployment (decision 0202).
 */
export function mayNameOperator(command: Command): Command {
  return command
    .option('--as <phone>', 'phone of the staff member who gives the command (or KIST_OPERATOR)', phoneOption)
    .option('--reason <words>', 'the reason for the access log (or KIST_REASON)', reasonOption)
}

/**
 * Reads the options of {@link mayNameOperator}, before the command does anything.
 *
 * @returns a function that records what the command has done. The phone is looked up only then,
 * where the tables are; one without an enabled staff account is recorded as nobody's.
 */
export function createRecorder(command: Command, config: Config) {
  const named = namedBy(command, config)
  return async (sql: Sql, entry: Pick<AccessEntry, 'at' | 'action' | 'detail'>): Promise<void> => {
    const operator = (await findOperator(sql, named)) ?? unnamedOperator(named.reason)
    await logOperatorAct(sql, operator, { ...entry, subjectId: 'database' })
    logDone(config, command, operator)
  }
}

/**
 * Runs a command that changes data, on behalf of the person in `--as` or `KIST_OPERATOR`. This is
 * the only place that reads who that is. Afterwards one log line on standard error names command,
 * person and reason.
 *
 * @param options.unlessNoStaff `staff add` and `staff enable` may run without a person while no
 * staff account is enabled: nobody could be named.
 * @throws CommandError in production without person or reason, and for a phone without an enabled
 * staff account.
 */
export async function withOperator<T>(
  command: Command,
  work: (context: OperatorContext, config: Config) => Promise<T>,
  { unlessNoStaff = false } = {},
): Promise<T> {
  const config = readConfig(process.env)
  const named = namedBy(command, config)
  const isUnnamed = named.phone === null || named.reason === null
  if (config.production && isUnnamed && !unlessNoStaff) throw nameRequired(command)
  return withDatabase(async (context) => {
    if (config.production && isUnnamed && (await context.database.asSystem(hasEnabledStaff))) throw nameRequired(command)
    const operator = await operatorOf(context, named)
    const result = await work({ ...context, operator }, config)
    logDone(config, command, operator)
    return result
  }, config)
}

/** The action of a command: runs it in its context and prints the lines that it returns. */
export const printing =
  <Context, Options>(
    within: (command: Command, work: (context: Context) => Promise<string>) => Promise<string>,
    run: (context: Context, options: Options) => Promise<string>,
  ) =>
  async (options: Options, command: Command): Promise<void> =>
    console.log(await within(command, (context) => run(context, options)))

function logDone(config: Config, command: Command, operator: Operator): void {
  // Standard output contains the command's result only.
  const log = createLog(config, pino.destination({ dest: 2, sync: true }))
  log.info({ event: 'operator_command', command: nameOf(command), ...operatorDetail(operator) }, 'operator command done')
}

type Named = { phone: string | null; reason: string | null }

/** Options take precedence over the environment. */
function namedBy(command: Command, { operator }: Config): Named {
  const options = command.opts<{ as?: string; reason?: string }>()
  return {
    phone: options.as ?? (operator.phone === null ? null : phoneOption(operator.phone)),
    reason: options.reason ?? (operator.reason === null ? null : reasonSetting(operator.reason)),
  }
}

/** @throws CommandError with the setting's name: commander prints the faults of options only. */
function reasonSetting(text: string): string {
  try {
    return reasonOption(text)
  } catch (error) {
    throw error instanceof InvalidArgumentError ? new CommandError(`KIST_REASON is invalid. ${error.message}`) : error
  }
}

async function operatorOf({ database }: DatabaseContext, named: Named): Promise<Operator> {
  const operator = await database.asSystem((sql) => findOperator(sql, named))
  if (!operator)
    throw new CommandError(`No enabled staff account has the phone ${named.phone}: give the phone of one in --as or KIST_OPERATOR`)
  return operator
}

/** Undefined for a phone without an enabled staff account. */
async function findOperator(sql: Sql, { phone, reason }: Named): Promise<Operator | undefined> {
  if (phone === null) return unnamedOperator(reason)
  const staff = await findEnabledStaff(sql, phone)
  return staff && { actorId: staff.userId, name: staff.name, reason }
}

const nameRequired = (command: Command): CommandError =>
  new CommandError(
    `In production "${nameOf(command)}" needs --as PHONE of an enabled staff account and --reason TEXT (or KIST_OPERATOR and KIST_REASON); nothing was changed`,
  )

/** The full name of a command, such as `kist charge add`. */
function nameOf(command: Command): string {
  return command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`
}
