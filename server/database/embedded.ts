import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, existsSync, mkdirSync, openSync, closeSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { dayMs } from '#domain/durations.ts'
import { isMissing } from '../config/is-missing.ts'
import { findProgramRunner, type PostgresVersion, type ProgramRunner } from './embedded-binaries.ts'
import { withFileLock } from './file-lock.ts'
import { freePort } from './free-port.ts'
import { isProcessAlive } from './process-alive.ts'

export type EmbeddedOptions = {
  /** The cluster's directory; created if absent. */
  directory: string
  /** False only in tests: a power cut may then lose data. */
  durable: boolean
  /** 18 by default; tests use others. */
  version?: PostgresVersion
  /** Recovers a copied cluster from the log that was copied with it; takes up to a day. */
  recovers?: boolean
}

/**
 * A running embedded PostgreSQL, with the two logins of production: the owner migrates, the app
 * serves.
 */
export type EmbeddedPostgres = {
  ownerUrl: string
  appUrl: string
  superuserUrl: string
  /** Stops the server cleanly; does nothing if it is stopped. */
  stop(): Promise<void>
}

type Credentials = { superuser: string; owner: string; app: string }

const startAttempts = 60
const startDeadlineMs = 60_000
const recoveryDeadlineMs = dayMs
const stopTimeoutMs = 60_000

/**
 * Starts the embedded PostgreSQL in a directory, or adopts the one that a killed launcher left
 * running. Of two concurrent callers, one starts it and the other adopts it.
 *
 * @throws Error with the end of the server's log if it does not start.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { directory, version = 18 } = options
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  return withFileLock(join(directory, 'start.lock'), async () => {
    const runner = findProgramRunner(version, directory)
    const credentials = readOrCreateCredentials(directory)
    if (!existsSync(join(directory, 'data', 'PG_VERSION'))) initialise(runner, directory, credentials, version)
    const port = await adoptOrStart(runner, options, credentials)
    const superuserUrl = url('postgres', credentials.superuser, port, 'postgres')
    await ensureRolesAndDatabase(superuserUrl, credentials)
    return {
      superuserUrl,
      ownerUrl: url('kist_owner', credentials.owner, port, 'kist'),
      appUrl: url('kist_app', credentials.app, port, 'kist'),
      stop: () => stopEmbedded(directory),
    }
  })
}

const url = (user: string, password: string, port: number, database: string) =>
  `postgres://${user}:${password}@127.0.0.1:${port}/${database}`

function readOrCreateCredentials(directory: string): Credentials {
  const path = join(directory, 'credentials.json')
  if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')) as Credentials
  const password = () => randomBytes(24).toString('hex')
  const credentials = { superuser: password(), owner: password(), app: password() }
  writeFileSync(path, JSON.stringify(credentials), { mode: 0o600 })
  return credentials
}

function initialise(runner: ProgramRunner, directory: string, credentials: Credentials, version: PostgresVersion): void {
  const data = join(directory, 'data')
  // Removes the rest of an initialisation that was killed.
  rmSync(data, { recursive: true, force: true })
  mkdirSync(data, { mode: 0o700 })
  if (runner.identity) chownSync(data, runner.identity.uid, runner.identity.gid)
  const passwordFile = join(directory, 'superuser.tmp')
  writeFileSync(passwordFile, credentials.superuser, { mode: 0o600 })
  if (runner.identity) chownSync(passwordFile, runner.identity.uid, runner.identity.gid)
  try {
    runProgram(runner, 'initdb', [
      '-D',
      data,
      '-U',
      'postgres',
      '--pwfile',
      passwordFile,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // The builtin locale provider, the same on every machine, exists since version 17.
      ...(version >= 17 ? ['--locale-provider=builtin', '--locale=C.UTF-8'] : ['--locale=C']),
      '--no-instructions',
    ])
  } catch (error) {
    rmSync(data, { recursive: true, force: true })
    throw new Error(
      `PostgreSQL could not be initialised in ${data}: ${(error as { stderr?: Buffer }).stderr?.toString().trim() ?? String(error)}`,
      { cause: error },
    )
  } finally {
    rmSync(passwordFile, { force: true })
  }
  chmodSync(data, 0o700)
}

function runProgram({ directory, prefix, identity }: ProgramRunner, program: string, args: readonly string[]): void {
  const [command = '', ...rest] = [...prefix, join(directory, 'bin', program), ...args]
  execFileSync(command, rest, { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, LC_ALL: 'C' }, ...identity })
}

/**
 * Adopts a running server or starts one. A server found running may be stopping; then a new one is
 * started.
 */
async function adoptOrStart(runner: ProgramRunner, options: EmbeddedOptions, { superuser }: Credentials): Promise<number> {
  const { directory } = options
  const deadline = Date.now() + startDeadlineMs
  for (;;) {
    const port = runningPort(directory) ?? (await startServer(runner, options))
    if (await acceptsConnections(url('postgres', superuser, port, 'postgres'))) return port
    if (Date.now() > deadline) throw new Error(`The embedded PostgreSQL does not answer.\n${logTail(directory)}`)
    await delay(100)
  }
}

async function acceptsConnections(superuserUrl: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: superuserUrl, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

async function startServer(runner: ProgramRunner, options: EmbeddedOptions): Promise<number> {
  const { directory, durable, recovers = false } = options
  const port = await freePort()
  const settings = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '100',
    shared_buffers: '128MB',
    wal_level: 'replica',
    log_min_messages: 'warning',
    timezone: 'UTC',
    ...(durable ? {} : throwAwaySettings(options.version ?? 18)),
    // Recovery needs a restore_command; `false`: there is no archive. It starts a new timeline, so
    // that the copy does not count as the owner of the original's bucket.
    ...(recovers && { restore_command: 'false', hot_standby: 'off' }),
  }
  const [command = '', ...args] = [
    ...runner.prefix,
    join(runner.directory, 'bin', 'postgres'),
    '-D',
    join(directory, 'data'),
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
  for (let attempt = 1; attempt <= startAttempts; attempt++) {
    const exitCode = await spawnUntilListening(command, args, directory, runner, recovers ? recoveryDeadlineMs : startDeadlineMs)
    if (exitCode === 'running') return port
    // The shared memory of a killed server disappears after a moment; a stopping server removes its
    // lock file.
    if (!/pre-existing shared memory block|lock file "postmaster.pid" already exists/.test(logTail(directory))) break
    await delay(250)
  }
  throw new Error(`The embedded PostgreSQL did not start.\n${logTail(directory)}`)
}

/** Tests discard the cluster and share it. */
function throwAwaySettings(version: PostgresVersion): Record<string, string> {
  return {
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    max_connections: '400',
    // For small tables PostgreSQL would plan a prepared statement at each execution, which takes
    // three times as long as to run it; for a lender's tables it keeps one plan by itself.
    plan_cache_mode: 'force_generic_plan',
    // Each test file opens its own connections; the usual number of rounds of a password check
    // takes a tenth of the file's time.
    ...(version >= 16 && { scram_iterations: '1' }),
  }
}

/** Resolves to `running` when the server has written its ready file, otherwise to its exit code. */
async function spawnUntilListening(
  command: string,
  args: readonly string[],
  directory: string,
  runner: ProgramRunner,
  deadlineMs: number,
): Promise<'running' | number> {
  const log = openSync(join(directory, 'postgres.log'), 'a')
  const child = spawn(command, args, {
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...process.env, LC_ALL: 'C' },
    ...runner.identity,
  })
  closeSync(log)
  let exitCode: number | null = null
  child.once('exit', (code) => (exitCode = code ?? 1))
  child.once('error', () => (exitCode = 1))
  child.unref()
  const deadline = Date.now() + deadlineMs
  while (exitCode === null && Date.now() < deadline) {
    if (runningPort(directory) !== null) return 'running'
    await delay(25)
  }
  return exitCode ?? 1
}

/** The port of the server that runs on this directory, from its pid file; null if none runs. */
function runningPort(directory: string): number | null {
  const lines = pidFile(directory)
  const [pid, , , port, , , , status] = lines
  if (!pid || !port || !status?.startsWith('ready')) return null
  return isProcessAlive(Number(pid)) ? Number(port) : null
}

function pidFile(directory: string): string[] {
  try {
    return readFileSync(join(directory, 'data', 'postmaster.pid'), 'utf8').split('\n')
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/** Stops the server of a directory, even if another process started it. */
export async function stopEmbedded(directory: string): Promise<void> {
  const pid = Number(pidFile(directory)[0])
  if (!pid || !isProcessAlive(pid)) return
  process.kill(pid, 'SIGINT')
  const deadline = Date.now() + stopTimeoutMs
  while (isProcessAlive(pid) && Date.now() < deadline) await delay(25)
}

async function ensureRolesAndDatabase(superuserUrl: string, { owner, app }: Credentials): Promise<void> {
  const client = new pg.Client({ connectionString: superuserUrl })
  await client.connect()
  try {
    await ensureRole(client, 'kist_owner', owner)
    await ensureRole(client, 'kist_app', app)
    const { rowCount } = await client.query("select 1 from pg_database where datname = 'kist'")
    if (!rowCount) {
      await client.query('create database kist owner kist_owner')
      await client.query('revoke all on database kist from public')
      await client.query('grant connect on database kist to kist_app')
    }
  } finally {
    await client.end()
  }
}

async function ensureRole(client: pg.Client, name: 'kist_owner' | 'kist_app', password: string): Promise<void> {
  const { rowCount } = await client.query('select 1 from pg_roles where rolname = $1', [name])
  if (!rowCount) await client.query(`create role ${name} login password ${client.escapeLiteral(password)}`)
}

function logTail(directory: string): string {
  const path = join(directory, 'postgres.log')
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(-12).join('\n') : ''
}
