import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { isMissing } from '../config/is-missing.ts'
import { isProcessAlive } from './process-alive.ts'

/**
 * A lock directory without a pid is abandoned after this time: its holder was killed before writing
 * it.
 */
const pidWriteMs = 5_000

/**
 * Runs `work` while no other process on this machine holds the lock of the same path. A lock of a
 * dead process is taken over.
 */
export async function withFileLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  while (!tryLock(path)) await delay(50)
  try {
    return await work()
  } finally {
    rmSync(path, { recursive: true, force: true })
  }
}

/** Uses a directory, because creating one is atomic everywhere; it contains the owner's pid. */
function tryLock(path: string): boolean {
  try {
    mkdirSync(path)
    writeFileSync(`${path}/pid`, String(process.pid))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    if (isAbandoned(path)) removeOnce(path)
    return false
  }
}

function isAbandoned(path: string): boolean {
  const pid = readPid(path)
  return pid === null ? isOlderThan(path, pidWriteMs) : !isProcessAlive(pid)
}

function readPid(path: string): number | null {
  try {
    return Number(readFileSync(`${path}/pid`, 'utf8')) || null
  } catch (error) {
    if (!isMissing(error)) throw error
    return null
  }
}

function isOlderThan(path: string, ageMs: number): boolean {
  return Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > ageMs
}

/** Renames it first, so that only one of two processes removes an abandoned lock. */
function removeOnce(path: string): void {
  try {
    renameSync(path, `${path}.${process.pid}`)
    rmSync(`${path}.${process.pid}`, { recursive: true, force: true })
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}
