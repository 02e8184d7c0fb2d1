import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Reads the resident memory of a process in bytes, from `/proc` on Linux and from `ps` elsewhere.
 *
 * @returns null if the process has ended.
 * @throws Error if the system has neither.
 */
export async function readResidentBytes(pid: number): Promise<number | null> {
  return process.platform === 'linux' ? await readFromProc(pid) : await readFromPs(pid)
}

/** How often the memory is read, in milliseconds. `ps` starts a process, so it runs less often. */
export const residentMemoryIntervalMs = process.platform === 'linux' ? 25 : 250

async function readFromProc(pid: number): Promise<number | null> {
  try {
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? []
    // A zombie process has no VmRSS line.
    return kilobytes === undefined ? null : Number(kilobytes) * 1_024
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return null
    throw error
  }
}

/** Exported for its test, which runs where `ps` is installed. */
export async function readFromPs(pid: number): Promise<number | null> {
  try {
    const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(pid)], { timeout: 2_000 })
    return Number(stdout.trim()) * 1_024
  } catch (error) {
    // `ps` exits with 1 if there is no such process.
    if ((error as { code?: unknown }).code === 1) return null
    throw error
  }
}
