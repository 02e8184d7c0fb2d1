import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { systemClock } from '#server/config/clock.ts'
import { readConfig } from '#server/config/read-config.ts'
import { copyCluster } from '#server/database/base-backup.ts'
import { isMissing } from '#server/config/is-missing.ts'
import { copyFile, type CopiedFile } from '#server/database/copy-file.ts'
import { writeManifest } from './manifest.ts'
import { withEmbedded } from '#cli/database-context.ts'
import { CommandError } from '#cli/command-error.ts'
import { createProgress } from '#cli/progress.ts'

/** Files copied after the database, so that every row has its bytes. */
export const besideDatabase = { directories: ['documents'], files: ['secrets.json'] } as const

export type BackupSize = { files: number; bytes: number }

/**
 * Copies the data of these settings into a directory while the portal runs.
 *
 * @throws CommandError when the directory is not empty, or the database is not the embedded one.
 */
export async function backUp(target: string): Promise<BackupSize> {
  const config = readConfig(process.env)
  if (config.database.url !== null)
    throw new CommandError("DATABASE_URL is set: back that server up with PostgreSQL's own tools, see docs/runbook.md.")
  if (!existsSync(join(config.dataDirectory, 'postgres', 'data', 'PG_VERSION')))
    throw new CommandError(`There is no database in ${config.dataDirectory}: see KIST_DATA_DIR.`)
  const root = resolve(target)
  if (existsSync(root) && readdirSync(root).length > 0)
    throw new CommandError(`${target} is not empty: give a backup a directory of its own.`)
  mkdirSync(root, { recursive: true, mode: 0o700 })

  const progress = createProgress('Copying')
  let done = 0
  let all = 0
  const copy = (from: string, to: string) =>
    copyFile(from, to, (bytes) => {
      done += bytes
      progress.update(done, all)
    })
  try {
    const data = join(config.dataDirectory, 'postgres', 'data')
    const documents = besideDatabase.directories.flatMap((name) => filesOf(join(config.dataDirectory, name)))
    all = documents.reduce((sum, path) => sum + sizeOf(path), 0)
    const files = await withEmbedded(config, ({ superuserUrl }) =>
      copyCluster({
        superuserUrl,
        dataDirectory: data,
        target: join(root, 'postgres', 'data'),
        copy,
        onSize: (bytes) => (all += bytes),
      }),
    )
    files.push(...copyBeside(config.dataDirectory, root, copy))
    // All files are on disk before the manifest is written.
    execFileSync('sync')
    writeManifest(root, {
      format: 1,
      made_at: systemClock('+0s').now().toISOString(),
      directories: directoriesOf(root).map((path) => relative(root, path)),
      files: files.map((file) => ({ ...file, path: relative(root, file.path) })),
    })
    return { files: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) }
  } finally {
    progress.end()
  }
}

function copyBeside(from: string, to: string, copy: (from: string, to: string) => CopiedFile): CopiedFile[] {
  const names = [
    join('postgres', 'credentials.json'),
    ...besideDatabase.files.filter((name) => existsSync(join(from, name))),
    ...besideDatabase.directories.flatMap((name) => filesOf(join(from, name)).map((path) => relative(from, path))),
  ]
  return names.flatMap((name) => {
    mkdirSync(join(to, name, '..'), { recursive: true, mode: 0o700 })
    try {
      return [copy(join(from, name), join(to, name))]
    } catch (error) {
      // An orphan that the sweep has removed: no row names it.
      if (isMissing(error)) return []
      throw error
    }
  })
}

const entriesOf = (directory: string) => (existsSync(directory) ? readdirSync(directory, { recursive: true, withFileTypes: true }) : [])
const filesOf = (directory: string): string[] =>
  entriesOf(directory)
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
const directoriesOf = (directory: string): string[] =>
  entriesOf(directory)
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0
