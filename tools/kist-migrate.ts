import type { Command } from 'commander'
import { readConfig } from '#server/config.ts'
import { migrate } from '#server/database/migrate.ts'
import { withEmbedded } from './kist-database.ts'

/** `kist migrate`: what every start does first, by itself. */
export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('bring the database to the schema of this version, as DATABASE_OWNER_URL; every start does it too')
    .action(async () => {
      const config = readConfig(process.env)
      const { ownerUrl } = config.database
      const ran = ownerUrl === null ? await withEmbedded(config, (postgres) => migrate(postgres.ownerUrl)) : await migrate(ownerUrl)
      console.log(ran.length > 0 ? `migrated: ${ran.join(', ')}` : 'unchanged: no migration is pending')
    })
}
