import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'
import { backUp } from './make.ts'
import { restore } from './restore.ts'
import { check, checkReport } from '#cli/commands/check.ts'
import { withDatabase } from '#cli/database-context.ts'

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
  program
    .command('restore')
    .description('put a backup back into an empty KIST_DATA_DIR, bring it up to date with the log, and check it')
    .argument('<directory>', 'what kist backup made')
    .option(
      '--wal <directories...>',
      'where pieces of the log are: KIST_WAL_ARCHIVE_DIR, and the pg_wal of the lost database where it survived',
    )
    .option('--until <moment>', 'stop at this moment, such as 2026-12-05T04:00:00Z', momentOption)
    .action(async (directory: string, { wal = [], until }: { wal?: string[]; until?: Date }) => {
      const { files, bytes } = await restore(directory, { walDirectories: wal, ...(until && { until }) })
      const result = await withDatabase(check)
      console.log(`restored: ${files} files, ${megabytes(bytes)} MB`)
      console.log(checkReport(result))
      if (result.broken.length > 0) reportFailure()
    })
}

const megabytes = (bytes: number): number => Math.round(bytes / 1_000_000)

function momentOption(text: string): Date {
  const moment = new Date(text)
  if (!/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(text) || Number.isNaN(moment.getTime()))
    throw new InvalidArgumentError('It must be a moment with its offset, such as 2026-12-05T04:00:00Z.')
  return moment
}
