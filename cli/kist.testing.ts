import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import { distributionSetting } from '#testkit/citus.ts'
import { runKist } from './program.ts'

/**
 * Gives this process the settings of an operator of a demo.
 *
 * @returns its data directory, and a function that takes the settings back.
 */
export function stubKistSettings({ appUrl, ownerUrl }: { appUrl: string; ownerUrl: string }) {
  const directory = mkdtempSync(join(tmpdir(), 'kist-tool-'))
  for (const [name, value] of Object.entries({
    DATABASE_URL: appUrl,
    DATABASE_OWNER_URL: ownerUrl,
    ...distributionSetting,
    KIST_DEMO: 'true',
    KIST_DATA_DIR: directory,
    SANDBOX_PORT: '4999',
    NODE_ENV: '',
  }))
    vi.stubEnv(name, value)
  const restore = (): void => {
    vi.unstubAllEnvs()
    rmSync(directory, { recursive: true, force: true })
  }
  return { directory, restore }
}

export type Ran = { code: number; out: string; err: string }

/** Runs a command in this process: what it prints is caught. */
export async function runHere(args: readonly string[]): Promise<Ran> {
  const printed = { out: '', err: '' }
  const out = vi.spyOn(console, 'log').mockImplementation((text: string) => void (printed.out += `${text}\n`))
  const err = vi.spyOn(console, 'error').mockImplementation((text: string) => void (printed.err += `${text}\n`))
  try {
    const code = await runKist(args)
    return { code, out: printed.out.trim(), err: printed.err.trim() }
  } finally {
    out.mockRestore()
    err.mockRestore()
  }
}
