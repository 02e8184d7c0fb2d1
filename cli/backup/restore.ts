import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readConfig } from '#server/config/read-config.ts'
import { copyFile } from '#server/database/copy-file.ts'
import { startEmbedded, stopEmbedded } from '#server/database/embedded.ts'
import { besideDatabase, type BackupSize } from './make.ts'
import { readManifest } from './manifest.ts'
import { embeddedOptions } from '#cli/embedded-options.ts'
import { CommandError } from '#cli/command-error.ts'
import { createProgress } from '#cli/progress.ts'
import { isDataDirectoryInUse } from '#cli/data-directory-users.ts'

/**
 * Restores a backup into the data directory of these settings and replays the log in it. The
 * database is put into its place last, so that an interrupted restore starts again.
 *
 * @throws CommandError when the directory is not empty, a portal uses it, or a file differs from
 * the manifest.
 */
export async function restore(source: string): Promise<BackupSize> {
  const config = readConfig(process.env)
  if (config.database.url !== null)
    throw new CommandError("DATABASE_URL is set: restore that server with PostgreSQL's own tools, see docs/runbook.md.")
  const { dataDirectory } = config
  refuseTarget(dataDirectory)
  const root = resolve(source)
  const manifest = readManifest(root)

  const places = ['postgres', ...besideDatabase.directories]
  const unfinished = (name: string) => join(dataDirectory, `${name}.restoring`)
  await stopEmbedded(unfinished('postgres'))
  for (const name of places) rmSync(unfinished(name), { recursive: true, force: true })
  for (const name of besideDatabase.files) rmSync(join(dataDirectory, name), { force: true })
  const placeOf = (path: string) => {
    const [top = '', ...below] = path.split('/')
    return places.includes(top) ? join(unfinished(top), ...below) : join(dataDirectory, path)
  }

  const progress = createProgress('Restoring')
  const all = manifest.files.reduce((sum, { bytes }) => sum + bytes, 0)
  let done = 0
  try {
    for (const name of manifest.directories) mkdirSync(placeOf(name), { recursive: true, mode: 0o700 })
    for (const { path, bytes, sha256 } of manifest.files) {
      const from = join(root, path)
      if (!existsSync(from)) throw new CommandError(`The backup lacks ${path}.`)
      const copied = copyFile(from, placeOf(path), (more) => progress.update((done += more), all))
      if (copied.sha256 !== sha256 || copied.bytes !== bytes)
        throw new CommandError(`${path} differs from the manifest: the backup is damaged.`)
    }
  } finally {
    progress.end()
  }
  writeFileSync(join(unfinished('postgres'), 'data', 'recovery.signal'), '', { mode: 0o600 })
  const postgres = await startEmbedded({ ...embeddedOptions(config), directory: unfinished('postgres'), recovers: true })
  await postgres.stop()
  // The database last: the restore is complete once it is in its place.
  for (const name of places.toReversed().filter((place) => existsSync(unfinished(place)))) {
    rmSync(join(dataDirectory, name), { recursive: true, force: true })
    renameSync(unfinished(name), join(dataDirectory, name))
  }
  return { files: manifest.files.length, bytes: all }
}

/** Refuses to overwrite existing data or a running portal. */
function refuseTarget(dataDirectory: string): void {
  if (isDataDirectoryInUse(dataDirectory)) throw new CommandError(`A portal or a command is running on ${dataDirectory}: stop it first.`)
  for (const name of ['postgres', ...besideDatabase.directories]) {
    const path = join(dataDirectory, name)
    const isThere = existsSync(path) && (name === 'postgres' || hasFiles(path))
    if (isThere) throw new CommandError(`${path} exists already: move it away, or set KIST_DATA_DIR to a new directory.`)
  }
}

const hasFiles = (directory: string): boolean =>
  readdirSync(directory, { recursive: true, withFileTypes: true }).some((entry) => entry.isFile())
