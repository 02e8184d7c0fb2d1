import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * The resident memory of a process in bytes: from `/proc` on Linux, from `ps` on other systems.
 *
 * @returns null when the process has ended.
 * @throws Error when this system has neither.
 */
export async function readResidentBytes(pid: number): Promise<number | null> {
  return process.platform === 'linux' ? await readFromProc(pid) : await readFromPs(pid)
}

/** How often the memory is read, in milliseconds. `ps` is a process of its own and is asked less often. */
export const residentMemoryIntervalMs = process.platform === 'linux' ? 25 : 250

async function readFromProc(pid: number): Promise<number | null> {
  try {
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? []
    // A process that has ended and was not waited for yet has no VmRSS line.
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
    // `ps` ends with 1 when there is no such process.
    if ((error as { code?: unknown }).code === 1) return null
    throw error
  }
}
