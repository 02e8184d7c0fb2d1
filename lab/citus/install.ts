import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Builds Citus from its source directory and installs it for PostgreSQL 15, as root. The fix of a
 * crash under row-level security is applied first (docs/scale.md), unless it is there. Needs
 * `apt-get install postgresql-15 postgresql-server-dev-15 liblz4-dev libzstd-dev libssl-dev
 * libkrb5-dev make gcc patch`.
 */
export function installCitus(source: string): void {
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { cwd: source, stdio: ['ignore', 'ignore', 'inherit'], maxBuffer: 1e9 })
  const fix = join(import.meta.dirname, 'rls-crash-fix.patch')
  const isApplied = (() => {
    try {
      run('patch', '-p1', '--dry-run', '--reverse', '--force', '-i', fix)
      return true
    } catch {
      return false
    }
  })()
  if (!isApplied) run('patch', '-p1', '-i', fix)
  if (!existsSync(join(source, 'Makefile.global')))
    execFileSync('./configure', ['--without-libcurl'], {
      cwd: source,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, PG_CONFIG: '/usr/lib/postgresql/15/bin/pg_config' },
    })
  run('make', '-j2')
  run('make', 'install')
}
