import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The directory for files of a test run outside of the checkout. */
export type RunDirectory = { path: string; remove(): Promise<void> }

/**
 * Creates a directory for this process. When it ends in any way, a guard stops the programs of the
 * directory and removes it.
 */
export function makeRunDirectory(): RunDirectory {
  const path = mkdtempSync(join(tmpdir(), 'kist-test-'))
  // Under root, PostgreSQL runs as another account, which must reach its directory.
  chmodSync(path, 0o711)
  const guard = spawn(process.execPath, [join(import.meta.dirname, 'run-guard.ts'), path], {
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
    env: { PATH: process.env['PATH'] },
  })
  guard.unref()
  // The pipe must not keep this process alive: the guard waits for its end.
  ;(guard.stdin as typeof guard.stdin & { unref(): void }).unref()
  return {
    path,
    remove: async () => {
      rmSync(path, { recursive: true, force: true, maxRetries: 10 })
      // Keeps the process alive until the guard has ended; otherwise its results would be lost.
      guard.ref()
      await new Promise<void>((resolve) => {
        guard.once('exit', () => resolve())
        guard.stdin.end('done')
      })
    },
  }
}
