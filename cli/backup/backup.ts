import type { Command } from 'commander'
import { backUp } from './make.ts'
import { restore } from './restore.ts'
import { readConfig } from '#server/config/read-config.ts'
import { check, checkReport } from '#cli/commands/check.ts'
import { withDatabase } from '#cli/database-context.ts'
import { createRecorder, mayNameOperator } from '#cli/operator-context.ts'

/** `kist backup` and `kist restore` of the embedded database and its files, in one directory. */
export function addBackupCommands(program: Command, reportFailure: () => void): void {
  program
    .command('backup')
    .description('copy the embedded database, the documents and the keys into a directory; the portal may be running')
    .argument('<directory>', 'new or empty, on another disk')
    .action(async (directory: string) => {
      const { files, bytes } = await backUp(directory)
      console.log(`backup: ${files} files, ${megabytes(bytes)} MB in ${directory}`)
    })
  mayNameOperator(program.command('restore'))
    .description('put a backup into an empty KIST_DATA_DIR, and check it')
    .argument('<directory>', 'what kist backup made')
    .action(async (directory: string, _options: object, command: Command) => {
      const record = createRecorder(command, readConfig(process.env))
      const { files, bytes } = await restore(directory)
      const result = await withDatabase(async (context) => {
        const checked = await check(context)
        await context.database.asSystem((sql) => record(sql, { at: context.clock.now(), action: 'database_restored', detail: { files } }))
        return checked
      })
      console.log(`restored: ${files} files, ${megabytes(bytes)} MB`)
      console.log(checkReport(result))
      if (result.broken.length > 0) reportFailure()
    })
}

const megabytes = (bytes: number): number => Math.round(bytes / 1_000_000)
