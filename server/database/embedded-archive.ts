import { statSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../config/read-config.ts'

/** How far a copied cluster is brought. */
export type Recovery = {
  /** Where pieces of the log may be, beside those in the copy. */
  walDirectories: readonly string[]
  /** The moment to stop at; as far as the log goes when absent. */
  until?: Date
}

const script = (name: string) => shellWord(join(import.meta.dirname, '../../ops/postgres', name))
/** Between switches of the log while there is something to keep: what a lost disk may take with it. */
const switchEverySeconds = 30

/** @throws Error when the directory is not there: an unmounted disk must not become a directory of this one. */
export function archiveSettings({ walArchiveDirectory }: { walArchiveDirectory?: string | null }): Record<string, string> {
  if (!walArchiveDirectory) return {}
  if (!statSync(walArchiveDirectory, { throwIfNoEntry: false })?.isDirectory())
    throw new ConfigError([`KIST_WAL_ARCHIVE_DIR must be a directory that is there: ${walArchiveDirectory}`])
  return {
    archive_mode: 'on',
    archive_timeout: String(switchEverySeconds),
    archive_command: `${script('wal-archive.sh')} "%p" "%f" ${shellWord(walArchiveDirectory)}`,
  }
}

export function recoverySettings({ walDirectories, until }: Recovery): Record<string, string> {
  return {
    restore_command:
      walDirectories.length === 0 ? 'false' : `${script('wal-fetch.sh')} "%f" "%p" ${walDirectories.map(shellWord).join(' ')}`,
    hot_standby: 'off',
    // Without a zone's name: PostgreSQL knows none yet when it reads this.
    ...(until && { recovery_target_time: until.toISOString().replace('Z', '+00'), recovery_target_action: 'promote' }),
  }
}

/** For a shell, inside a setting where PostgreSQL reads % itself. */
function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`).replaceAll('%', '%%')}'`
}
