import type { Command } from 'commander'
import pg from 'pg'
import { readConfig } from '#server/config/read-config.ts'
import { runBulkTransaction } from '#server/database/bulk.ts'
import { distributeTables } from '#server/database/distribute.ts'
import { requireOwner } from '#cli/database-context.ts'
import { CommandError } from '#cli/command-error.ts'
import { createRecorder, mayNameOperator } from '#cli/operator-context.ts'
import { withProgress } from '#cli/progress.ts'

const shardsMax = 1_024

/** `kist distribute`: once, after `kist migrate`, on the coordinator of a Citus cluster. */
export function addDistributeCommand(program: Command): void {
  mayNameOperator(program.command('distribute'))
    .description('distribute the tables over the nodes of a Citus cluster, as DATABASE_OWNER_URL, with every process stopped')
    .option('--shards <number>', 'the number of shards of each table; it cannot be changed later', '32')
    .action(async ({ shards }: { shards: string }, command: Command) => {
      const count = Number(shards)
      if (!Number.isInteger(count) || count < 1 || count > shardsMax)
        throw new CommandError(`--shards must be a whole number between 1 and ${shardsMax}`)
      const config = readConfig(process.env)
      const record = createRecorder(command, config)
      const ownerUrl = requireOwner(config.database.ownerUrl)
      const client = new pg.Client({ connectionString: ownerUrl })
      await client.connect()
      try {
        const distributed = await withProgress('Distributing', (onProgress) => distributeTables(client, { shards: count, onProgress }))
        if (distributed.length > 0)
          await runBulkTransaction(ownerUrl, ({ sql }) =>
            record(sql, { at: new Date(), action: 'database_distributed', detail: { tables: distributed.join(' '), shards: count } }),
          )
        console.log(
          distributed.length > 0
            ? `distributed: ${distributed.join(', ')}. Set KIST_CITUS=on for every process`
            : 'unchanged: every table is distributed',
        )
      } finally {
        await client.end()
      }
    })
}
