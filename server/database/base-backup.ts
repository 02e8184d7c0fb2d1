import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import pg from 'pg'
import { isMissing } from '../config/is-missing.ts'
import { sha256Of, type CopiedFile } from './copy-file.ts'

/**
 * Options of a copy of a running cluster by PostgreSQL's low-level backup calls (its manual,
 * 25.3.4); the embedded package has no pg_basebackup. The copied log repairs pages that changed
 * during the copy.
 */
type BaseBackupOptions = {
  superuserUrl: string
  /** The running cluster's own directory. */
  dataDirectory: string
  /** Where the copy goes. The directory must not exist. */
  target: string
  copy(from: string, to: string): CopiedFile
  /** Called once, before the first byte, with the number of bytes to copy. */
  onSize?(bytes: number): void
}

/**
 * Directories whose content belongs to the running server or is recreated at every start. They are
 * copied empty.
 */
const emptied = new Set(['pg_wal', 'pg_replslot', 'pg_dynshmem', 'pg_notify', 'pg_serial', 'pg_snapshots', 'pg_stat_tmp', 'pg_subtrans'])
const excluded =
  /^(postmaster\.(pid|opts)|backup_label.*|tablespace_map.*|recovery\.signal|standby\.signal|pg_internal\.init.*|pgsql_tmp.*)$/

/** @returns all files of the copy. */
export async function copyCluster(options: BaseBackupOptions): Promise<CopiedFile[]> {
  const { superuserUrl, dataDirectory, target, copy } = options
  const client = new pg.Client({ connectionString: superuserUrl })
  client.on('error', () => {})
  await client.connect()
  try {
    // A temporary slot of this session: the server keeps its log from here until it is copied.
    await client.query('select pg_create_physical_replication_slot($1, true, true)', [`kist_backup_${process.pid}`])
    await client.query("select pg_backup_start('kist backup', fast => true)")
    const { directories, names } = listTree(dataDirectory)
    options.onSize?.(names.reduce((sum, name) => sum + readSize(join(dataDirectory, name)), 0))
    for (const name of directories) mkdirSync(join(target, name), { recursive: true, mode: 0o700 })
    const files: CopiedFile[] = []
    for (const name of names) {
      try {
        files.push(copyConsistently(copy, join(dataDirectory, name), join(target, name)))
      } catch (error) {
        // A table was dropped during the copy; the log records it.
        if (!isMissing(error)) throw error
      }
    }
    const { rows } = await client.query<{ label: string; last: string; tablespaces: string }>(
      'select labelfile as label, pg_walfile_name(lsn) as last, spcmapfile as tablespaces from pg_backup_stop(wait_for_archive => false)',
    )
    const [stopped] = rows
    if (!stopped) throw new Error('PostgreSQL did not end the backup.')
    if (stopped.tablespaces.trim() !== '') throw new Error('The cluster has tablespaces of its own, which kist backup does not support.')
    const label = join(target, 'backup_label')
    writeFileSync(label, stopped.label, { mode: 0o600 })
    files.push({ path: label, bytes: Buffer.byteLength(stopped.label), sha256: sha256Of(label) })
    const first = /\(file ([0-9A-F]{24})\)/.exec(stopped.label)?.[1]
    if (!first) throw new Error(`PostgreSQL's backup label could not be parsed: ${stopped.label}`)
    for (const name of segmentsBetween(join(dataDirectory, 'pg_wal'), first, stopped.last))
      files.push(copy(join(dataDirectory, 'pg_wal', name), join(target, 'pg_wal', name)))
    return files
  } finally {
    await client.end()
  }
}

/**
 * The log does not repair the control file, so it is copied again if it changed during the copy.
 */
function copyConsistently(copy: BaseBackupOptions['copy'], from: string, to: string): CopiedFile {
  for (;;) {
    const copied = copy(from, to)
    if (basename(from) !== 'pg_control' || copied.sha256 === sha256Of(from)) return copied
    rmSync(to)
  }
}

/** The log segments from the first to the last, both included, and the timeline histories. */
function segmentsBetween(directory: string, first: string, last: string): string[] {
  const names = readdirSync(directory)
  const segments = names.filter((name) => /^[0-9A-F]{24}$/.test(name) && name >= first && name <= last).sort()
  if (segments[0] !== first || segments.at(-1) !== last) throw new Error('The log segments of the backup are incomplete.')
  return [...names.filter((name) => /^[0-9A-F]{8}\.history$/.test(name)), ...segments]
}

function listTree(root: string): { directories: string[]; names: string[] } {
  const directories = ['.']
  const names: string[] = []
  const walk = (below: string) => {
    for (const entry of readdirSync(join(root, below), { withFileTypes: true })) {
      const name = join(below, entry.name)
      if (excluded.test(entry.name)) continue
      if (!entry.isDirectory()) names.push(name)
      else {
        directories.push(name)
        if (!emptied.has(name)) walk(name)
      }
    }
  }
  walk('')
  return { directories, names }
}

function readSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
