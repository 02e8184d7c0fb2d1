import type { Command } from 'commander'
import { readConfig, type Config } from '#server/config.ts'
import { migrate } from '#server/database/migrate.ts'
import { requireOwner, withEmbedded } from './kist-database.ts'

/** `kist migrate`: a step of its own before a new version serves; serving processes never hold the login that it needs. */
export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('bring the database to the schema of this version, as DATABASE_OWNER_URL; a server waits until it is there')
    .action(async () => {
      const ran = await migrateDatabase(readConfig(process.env))
      console.log(ran.length > 0 ? `migrated: ${ran.join(', ')}` : 'unchanged: no migration is pending')
    })
}

function migrateDatabase(config: Config): Promise<string[]> {
  const { url, ownerUrl } = config.database
  // The embedded database migrates whenever the tool starts it.
  return url === null ? withEmbedded(config, (postgres) => migrate(postgres.ownerUrl)) : migrate(requireOwner(ownerUrl))
}
