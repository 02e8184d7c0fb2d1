import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isProcessAlive } from '#server/database/process-alive.ts'

/** Several portals may share a data directory; its database and sandbox stop with the last of them. */
export type DataDirectoryUsers = {
  /** Gives up this process's share. @returns whether no other process lives on the directory. */
  leave(): boolean
}

/** Notes that this process lives on the data directory. Notes of processes that were killed are swept away. */
export function enter(dataDirectory: string): DataDirectoryUsers {
  const directory = join(dataDirectory, 'run')
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const mine = join(directory, String(process.pid))
  writeFileSync(mine, '')
  return {
    leave() {
      rmSync(mine, { force: true })
      return livingTenants(directory).length === 0
    },
  }
}

/** Whether a portal, or a command, lives on the data directory now. */
export function isInhabited(dataDirectory: string): boolean {
  const directory = join(dataDirectory, 'run')
  return existsSync(directory) && livingTenants(directory).length > 0
}

function livingTenants(directory: string): string[] {
  return readdirSync(directory).filter((pid) => {
    if (isProcessAlive(Number(pid))) return true
    rmSync(join(directory, pid), { force: true })
    return false
  })
}
