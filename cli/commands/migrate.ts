import type { Command } from 'commander'
import { createStorage } from '#server/adapters/object-storage/create-storage.ts'
import type { Config } from '#server/config/config.ts'
import { readConfig } from '#server/config/read-config.ts'
import { runBulkTransaction } from '#server/database/bulk.ts'
import { connect } from '#server/database/connect.ts'
import { migrate, migrationsDirectory, printWait } from '#server/migrate.ts'
import { claimEmptyBucket, readDatabaseIdentity } from '#server/documents/bucket-owner.ts'
import { requireOwner, withEmbedded } from '#cli/database-context.ts'
import { createRecorder, mayNameOperator } from '#cli/operator-context.ts'
import { createProgress } from '#cli/progress.ts'

/**
 * `kist migrate`: a separate step before a new version serves; serving processes never have the
 * login that it needs.
 */
export function addMigrateCommand(program: Command): void {
  mayNameOperator(program.command('migrate'))
    .description('bring the database to the schema of this version, as DATABASE_OWNER_URL, and claim an empty bucket for it')
    .action(async (_options: object, command: Command) => {
      const config = readConfig(process.env)
      const { url, ownerUrl } = config.database
      const record = createRecorder(command, config)
      if (url === null) await withEmbedded(config, (postgres) => migrateAndClaim(config, postgres.ownerUrl, record))
      else await migrateAndClaim(config, requireOwner(ownerUrl), record)
    })
}

async function migrateAndClaim(config: Config, ownerUrl: string, record: ReturnType<typeof createRecorder>): Promise<void> {
  const progress = createProgress('Migrating')
  const onWait = (name: string) => {
    progress.end()
    printWait(name)
  }
  const ran = await migrate(ownerUrl, migrationsDirectory, { onWait, onProgress: progress.update }).finally(progress.end)
  if (ran.length > 0)
    await runBulkTransaction(ownerUrl, ({ sql }) =>
      record(sql, { at: new Date(), action: 'database_migrated', detail: { migrations: ran.join(' ') } }),
    )
  console.log(ran.length > 0 ? `migrated: ${ran.join(', ')}` : 'unchanged: no migration is pending')
  if (await claimBucketOf(config, ownerUrl, 'kist migrate')) console.log('claimed: the bucket was empty and belongs to this database now')
}

/**
 * Claims the bucket of the settings for a database, if it is empty. @returns whether it was
 * claimed.
 */
export async function claimBucketOf({ database: limits, documents }: Config, databaseUrl: string, by: string): Promise<boolean> {
  const database = connect(databaseUrl, { ...limits, connectionsMax: 1 })
  try {
    const identity = await database.asSystem(readDatabaseIdentity)
    return await claimEmptyBucket(await createStorage(documents.storage), identity, { by, reason: 'the bucket was empty', at: new Date() })
  } finally {
    await database.close()
  }
}
