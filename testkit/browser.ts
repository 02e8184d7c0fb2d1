import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { browserEnvironment } from './child-environment.ts'

/** A browser that runs on this machine; `env` is its complete environment. */
export type Browser = { executablePath: string; args: string[]; env: Record<string, string> }

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

/** Chromium keeps the names of saved files only in a locale that has their letters. */
const environment = { ...browserEnvironment, LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8' }

/**
 * The Chromium of the packages, unpacked once per checkout. If the machine lacks its libraries,
 * those of its package are used. `KIST_TEST_BROWSER` names another one.
 *
 * @throws Error with the browser's output when it does not start.
 */
export function findBrowser(): Browser {
  const named = process.env['KIST_TEST_BROWSER']
  const unpacked = named === undefined ? unpackChromium() : null
  const executablePath = named ?? join(unpacked ?? '', 'chromium')
  const bare = { executablePath, args: flags, env: environment }
  if (unpacked === null || starts(bare)) return bare
  const packaged = { ...bare, env: { ...environment, LD_LIBRARY_PATH: join(unpacked, 'al2023', 'lib') } }
  if (!starts(packaged)) throw new Error(`Chromium does not start: ${versionOf(packaged)}`)
  return packaged
}

const starts = (browser: Browser) => /^(Google )?(Chrome|Chromium|HeadlessChrome)/i.test(versionOf(browser))

function versionOf({ executablePath, env }: Browser): string {
  try {
    return execFileSync(executablePath, ['--version'], { env, encoding: 'utf8', stdio: 'pipe' })
  } catch (error) {
    return String((error as { stderr?: string }).stderr ?? error)
  }
}

/**
 * Unpacks Chromium and its libraries into the checkout. The package unpacks into the directory for
 * temporary files under a fixed name, where another user may have a file; so a child process with
 * another TMPDIR does it.
 *
 * @returns the directory.
 */
function unpackChromium(): string {
  const packageRoot = join(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')), '..')
  const { version } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string }
  const parent = join(import.meta.dirname, '../node_modules/.cache/kist')
  const directory = join(parent, `chromium-${version}`)
  if (existsSync(directory)) return directory
  mkdirSync(parent, { recursive: true })
  const unfinished = mkdtempSync(`${directory}-`)
  const script =
    "const { default: chromium, inflate } = await import('@sparticuz/chromium');" +
    `await chromium.executablePath(); await inflate(${JSON.stringify(join(packageRoot, 'bin', 'al2023.tar.br'))})`
  execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: import.meta.dirname,
    env: { ...process.env, TMPDIR: unfinished },
    stdio: 'pipe',
  })
  try {
    renameSync(unfinished, directory)
  } catch (error) {
    // Another process has unpacked it.
    if (!existsSync(directory)) throw error
    rmSync(unfinished, { recursive: true })
  }
  return directory
}
