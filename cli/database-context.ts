import { join } from 'node:path'
import { demoClock, systemClock, type Clock } from '#server/config/clock.ts'
import type { Config } from '#server/config/config.ts'
import { readConfig } from '#server/config/read-config.ts'
import { connect, type Database } from '#server/database/connect.ts'
import { startEmbedded, type EmbeddedPostgres } from '#server/database/embedded.ts'
import { migrate } from '#server/migrate.ts'
import { embeddedOf } from './embedded-options.ts'
import { KistError } from './command-error.ts'
import { enter } from './data-directory-users.ts'

/** What an operator's command works with: the portal's own database and clock. */
export type Desk = {
  database: Database
  databaseUrl: string
  /**
   * The login that owns the tables; null where the settings do not hold it (production, but for
   * `kist migrate` and `requireOwner`).
   */
  ownerUrl: string | null
  clock: Clock
}

/**
 * The login that owns the tables, for what row-level security and the grants let no other login do.
 *
 * @throws KistError where the settings do not hold it.
 */
export function requireOwner(ownerUrl: string | null): string {
  if (ownerUrl === null)
    throw new KistError('DATABASE_OWNER_URL is missing: this command needs the login that owns the tables, which no serving process holds')
  return ownerUrl
}

/**
 * Runs a command on the database that the portal of these settings uses: the one in DATABASE_URL,
 * or the embedded one in KIST_DATA_DIR. A portal that runs there is not disturbed; where none does,
 * the database is started and stopped again.
 *
 * @throws ConfigError when the settings are invalid.
 */
export async function withDesk<T>(work: (desk: Desk, config: Config) => Promise<T>, config = readConfig(process.env)): Promise<T> {
  const isDemoTime = config.demo && config.razorpay.baseUrl === null
  const clock = isDemoTime
    ? demoClock(config.clock.shift, join(config.dataDirectory, 'sandbox', 'clock.json'))
    : systemClock(config.clock.shift)
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
 * The embedded PostgreSQL alone: the one that runs, or one that is started for as long as `work`
 * takes.
 */
export async function withEmbedded<T>(config: Config, work: (postgres: EmbeddedPostgres) => Promise<T>): Promise<T> {
  const tenancy = enter(config.dataDirectory)
  let postgres: EmbeddedPostgres | null = null
  try {
    postgres = await startEmbedded(embeddedOf(config))
    await migrate(postgres.ownerUrl)
    return await work(postgres)
  } finally {
    if (tenancy.leave()) await postgres?.stop()
  }
}
