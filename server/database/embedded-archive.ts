import { statSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../config/read-config.ts'

/** How a copied cluster is recovered. */
export type Recovery = {
  /** Further directories with log segments. */
  walDirectories: readonly string[]
  /** The recovery target time; the end of the log if absent. */
  until?: Date
}

const script = (name: string) => quoteForShell(join(import.meta.dirname, '../../ops/postgres', name))
/** The longest time between log switches under writes: the most that a lost disk loses. */
const archiveTimeoutSeconds = 30

/**
 * @throws ConfigError if the directory does not exist: it must not be created where a disk is
 * unmounted.
 */
export function archiveSettings({ walArchiveDirectory }: { walArchiveDirectory?: string | null }): Record<string, string> {
  if (!walArchiveDirectory) return {}
  if (!statSync(walArchiveDirectory, { throwIfNoEntry: false })?.isDirectory())
    throw new ConfigError([`KIST_WAL_ARCHIVE_DIR must be an existing directory: ${walArchiveDirectory}`])
  return {
    archive_mode: 'on',
    archive_timeout: String(archiveTimeoutSeconds),
    archive_command: `${script('wal-archive.sh')} "%p" "%f" ${quoteForShell(walArchiveDirectory)}`,
  }
}

export function recoverySettings({ walDirectories, until }: Recovery): Record<string, string> {
  return {
    restore_command:
      walDirectories.length === 0 ? 'false' : `${script('wal-fetch.sh')} "%f" "%p" ${walDirectories.map(quoteForShell).join(' ')}`,
    hot_standby: 'off',
    // A numeric offset: PostgreSQL has not loaded zone names when it reads this setting.
    ...(until && { recovery_target_time: until.toISOString().replace('Z', '+00'), recovery_target_action: 'promote' }),
  }
}

/** Quotes a word for a shell within a setting in which PostgreSQL expands %. */
function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`).replaceAll('%', '%%')}'`
}
