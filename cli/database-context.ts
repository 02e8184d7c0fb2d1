import { join } from 'node:path'
import { demoClock, systemClock, type Clock } from '#server/config/clock.ts'
import type { Config } from '#server/config/config.ts'
import { readConfig, type ClockConfig } from '#server/config/read-config.ts'
import { connect, type Database } from '#server/database/connect.ts'
import { startEmbedded, type EmbeddedPostgres } from '#server/database/embedded.ts'
import { migrate } from '#server/migrate.ts'
import { embeddedOptions } from './embedded-options.ts'
import { CommandError } from './command-error.ts'
import { joinDataDirectory } from './data-directory-users.ts'

/** The context of every command: the portal's database and clock. */
export type DatabaseContext = {
  database: Database
  databaseUrl: string
  /**
   * The login that owns the tables; null if it is not in the settings (in production, except for
   * `kist migrate` and `requireOwner`).
   */
  ownerUrl: string | null
  clock: Clock
}

/**
 * The login that owns the tables, which is not restricted by row-level security and grants.
 *
 * @throws CommandError if it is not in the settings.
 */
export function requireOwner(ownerUrl: string | null): string {
  if (ownerUrl === null)
    throw new CommandError(
      'DATABASE_OWNER_URL is missing: this command needs the login that owns the tables, which no serving process holds',
    )
  return ownerUrl
}

/** The clock of the portal of these settings. */
export function createClock({ clock: { shift }, dataDirectory, demo, razorpay }: ClockConfig): Clock {
  const isDemoTime = demo && razorpay.baseUrl === null
  return isDemoTime ? demoClock(shift, join(dataDirectory, 'sandbox', 'clock.json')) : systemClock(shift)
}

/**
 * Runs a command on the database that the portal of these settings uses: the one in DATABASE_URL,
 * or the embedded one in KIST_DATA_DIR. A running portal is not disturbed; without one
 * the database is started and stopped again.
 *
 * @throws ConfigError when the settings are invalid.
 */
export async function withDatabase<T>(
  work: (context: DatabaseContext, config: Config) => Promise<T>,
  config = readConfig(process.env),
): Promise<T> {
  const clock = createClock(config)
  const onDatabase = async (databaseUrl: string, ownerUrl: string | null): Promise<T> => {
    const database = connect(databaseUrl, config.database)
    try {
      return await work({ database, databaseUrl, ownerUrl, clock }, config)
    } finally {
      await database.close()
    }
  }
  if (config.database.url !== null) return onDatabase(config.database.url, config.database.ownerUrl)
  return withEmbedded(config, (postgres) => onDatabase(postgres.appUrl, postgres.ownerUrl))
}

/**
 * Runs `work` on the embedded PostgreSQL: the running one, or one that is started for as long as
 * `work` takes.
 */
export async function withEmbedded<T>(config: Config, work: (postgres: EmbeddedPostgres) => Promise<T>): Promise<T> {
  const directoryUsers = joinDataDirectory(config.dataDirectory)
  let postgres: EmbeddedPostgres | null = null
  try {
    postgres = await startEmbedded(embeddedOptions(config))
    await migrate(postgres.ownerUrl)
    return await work(postgres)
  } finally {
    if (directoryUsers.leave()) await postgres?.stop()
  }
}
