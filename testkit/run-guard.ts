import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { stopEmbedded } from '#server/database/embedded.ts'

/**
 * Waits until its parent process has ended in any way, stops the processes that it started with the
 * directory given as argument, and removes the directory. The message `done` ends it without that.
 * Started by `makeRunDirectory` in run-directory.ts.
 */

const directory = process.argv[2] ?? ''
let message = ''
process.stdin.setEncoding('utf8')
process.stdin.on('data', (text) => (message += text))
process.stdin.on('end', () => {
  if (message !== 'done') void cleanUp()
})

async function cleanUp(): Promise<void> {
  for (const cluster of clustersBelow(directory, 4)) await stopEmbedded(cluster)
  for (const pid of processesOf(directory)) endProcess(pid)
  rmSync(directory, { recursive: true, force: true, maxRetries: 10 })
}

/** The directories of embedded PostgreSQL servers, at most `depth` directories down. */
function clustersBelow(path: string, depth: number): string[] {
  const names = readdirSync(path, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
  const own = names.includes('data') && readdirSync(join(path, 'data')).includes('postmaster.pid') ? [path] : []
  const below = depth === 0 ? [] : names.filter((name) => name !== 'data').flatMap((name) => clustersBelow(join(path, name), depth - 1))
  return [...own, ...below]
}

/** The processes with the directory in their environment; none on systems without /proc. */
function processesOf(path: string): number[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => environmentOf(pid).includes(path))
    .map(Number)
}

/** Empty for a process of another user or an ended one. */
function environmentOf(pid: string): string {
  try {
    return readFileSync(join('/proc', pid, 'environ'), 'utf8')
  } catch (error) {
    if (['EACCES', 'ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return ''
    throw error
  }
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
