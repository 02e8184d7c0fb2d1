import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A directory for all that one run of tests writes outside the checkout. */
export type RunDirectory = { path: string; remove(): Promise<void> }

/** Makes a directory that goes with this process: when it is killed, a guard stops the programs started in the directory and removes it. */
export function makeRunDirectory(): RunDirectory {
  const path = mkdtempSync(join(tmpdir(), 'kist-test-'))
  // As root, PostgreSQL may run as another account, which must get to its own directory below.
  chmodSync(path, 0o711)
  const guard = spawn(process.execPath, [join(import.meta.dirname, 'run-guard.ts'), path], {
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
    env: { PATH: process.env['PATH'] },
  })
  guard.unref()
  // The pipe alone must not keep this process alive: its end is what the guard waits for.
  ;(guard.stdin as typeof guard.stdin & { unref(): void }).unref()
  return {
    path,
    remove: async () => {
      rmSync(path, { recursive: true, force: true, maxRetries: 10 })
      // Without it, a process with nothing else to do would end here, and say nothing of its results.
      guard.ref()
      await new Promise<void>((resolve) => {
        guard.once('exit', () => resolve())
        guard.stdin.end('done')
      })
    },
  }
}
