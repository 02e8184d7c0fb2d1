import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isProcessAlive } from '#server/database/process-alive.ts'

/** The processes that use a data directory. Its database and sandbox stop with the last of them. */
type DataDirectoryUsers = {
  /** Removes this process. @returns whether no other process uses the directory. */
  leave(): boolean
}

/**
 * Registers this process as a user of the data directory. Entries of ended processes are removed.
 */
export function joinDataDirectory(dataDirectory: string): DataDirectoryUsers {
  const directory = join(dataDirectory, 'run')
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const mine = join(directory, String(process.pid))
  writeFileSync(mine, '')
  return {
    leave() {
      rmSync(mine, { force: true })
      return runningUsers(directory).length === 0
    },
  }
}

/** Whether a process uses the data directory. */
export function isDataDirectoryInUse(dataDirectory: string): boolean {
  const directory = join(dataDirectory, 'run')
  return existsSync(directory) && runningUsers(directory).length > 0
}

function runningUsers(directory: string): string[] {
  return readdirSync(directory).filter((pid) => {
    if (isProcessAlive(Number(pid))) return true
    rmSync(join(directory, pid), { force: true })
    return false
  })
}
