import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import chromium, { inflate } from '@sparticuz/chromium'

export type Browser = { executablePath: string; args: string[]; env: Record<string, string> }

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

/**
 * The Chromium that the packages bring, unpacked once per machine. On a machine without the libraries it needs, those
 * of its package are used.
 *
 * @throws Error with what the browser said when it does not start.
 */
export async function findBrowser(): Promise<Browser> {
  const executablePath = process.env['KIST_TEST_BROWSER'] ?? (await chromium.executablePath())
  const bare = { executablePath, args: flags, env: {} }
  if (starts(bare)) return bare
  const packaged = { ...bare, env: { LD_LIBRARY_PATH: await packagedLibraries() } }
  if (!starts(packaged)) throw new Error(`Chromium does not start: ${versionOf(packaged)}`)
  return packaged
}

const starts = (browser: Browser) => /^(Google )?(Chrome|Chromium|HeadlessChrome)/i.test(versionOf(browser))

function versionOf({ executablePath, env }: Browser): string {
  try {
    return execFileSync(executablePath, ['--version'], { env: { ...process.env, ...env }, encoding: 'utf8', stdio: 'pipe' })
  } catch (error) {
    return String((error as { stderr?: string }).stderr ?? error)
  }
}

async function packagedLibraries(): Promise<string> {
  const libraries = join(tmpdir(), 'al2023', 'lib')
  if (!existsSync(libraries)) {
    const packageRoot = join(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')), '..')
    await inflate(join(packageRoot, 'bin', 'al2023.tar.br'))
  }
  return libraries
}
