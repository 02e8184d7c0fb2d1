import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A directory outside the checkout for the files of a test run. */
type RunDirectory = { path: string; remove(): Promise<void> }

/**
 * Creates a directory for this process and starts a guard process. When this process ends in any
 * way, the guard stops the programs that use the directory, and removes the directory.
 */
export function makeRunDirectory(): RunDirectory {
  const path = mkdtempSync(join(tmpdir(), 'kist-test-'))
  // If this process runs as root, PostgreSQL runs as another account, which must enter the path.
  chmodSync(path, 0o711)
  const guard = spawn(process.execPath, [join(import.meta.dirname, 'run-guard.ts'), path], {
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
    env: { PATH: process.env['PATH'] },
  })
  guard.unref()
  // The open pipe must not keep this process alive: the guard waits until the process ends.
  ;(guard.stdin as typeof guard.stdin & { unref(): void }).unref()
  return {
    path,
    remove: async () => {
      rmSync(path, { recursive: true, force: true, maxRetries: 10 })
      // Keeps this process alive until the guard has ended; otherwise the test results are lost.
      guard.ref()
      await new Promise<void>((resolve) => {
        guard.once('exit', () => resolve())
        guard.stdin.end('done')
      })
    },
  }
}
