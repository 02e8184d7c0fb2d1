import { execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isProcessAlive } from '#server/database/process-alive.ts'
import { freePort } from '#server/database/free-port.ts'
import { queryOnce } from '#testkit/test-database.ts'
import { until } from '#testkit/until.ts'

/**
 * PostgreSQL as in production, from Debian's packages postgresql and pgbouncer: a primary, a
 * synchronous streaming replica, and pgbouncer in transaction mode in front.
 */
export type Cluster = {
  urls(): { superuserUrl: string; ownerUrl: string; appUrl: string }
  /** Starts a replica. Once it has caught up, a commit is answered only when it is on both. */
  addReplica(): Promise<Node>
  /** Kills the primary as a power failure does and promotes the replica. */
  failOver(replica: Node): Promise<void>
  close(): void
}

type Node = { name: string; port: number; data: string }

const passwords = { superuser: 'superuser-of-the-drill', owner: 'owner-of-the-drill', app: 'app-of-the-drill' }
const pooler = '/usr/sbin/pgbouncer'

/** @throws Error where the packages are not installed. */
export async function startCluster(): Promise<Cluster> {
  const binaries = findBinaries()
  // PostgreSQL refuses root, and its own account must reach the directory.
  const account = userInfo().uid === 0 ? accountOf('postgres') : null
  const directory = mkdtempSync('/tmp/kist-failover-')
  if (account) chownSync(directory, account.uid, account.gid)
  const poolerPort = await freePort()
  const poolerFile = join(directory, 'pgbouncer.ini')
  const poolerPid = join(directory, 'pgbouncer.pid')
  let made = 1
  let primary: Node = { name: 'one', port: await freePort(), data: join(directory, 'one') }

  function run(program: string, ...args: string[]): void {
    execFileSync(join(binaries, program), args, {
      cwd: directory,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, PGPASSWORD: passwords.superuser },
      ...account,
    })
  }

  function start({ data, port, name }: Node): void {
    run(
      'pg_ctl',
      '-D',
      data,
      '-w',
      '-t',
      '60',
      '-l',
      join(directory, `${name}.log`),
      '-o',
      `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${directory}`,
      'start',
    )
  }

  async function makePrimary(): Promise<void> {
    const passwordFile = join(directory, 'password')
    writeFileSync(passwordFile, passwords.superuser, { mode: 0o644 })
    run(
      'initdb',
      '-D',
      primary.data,
      '-U',
      'postgres',
      '--pwfile',
      passwordFile,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C.UTF-8',
    )
    start(primary)
    await ask(primary.port, `create role kist_owner login password '${passwords.owner}'`)
    await ask(primary.port, `create role kist_app login password '${passwords.app}'`)
    await ask(primary.port, 'create database kist owner kist_owner')
  }

  async function addReplica(): Promise<Node> {
    made += 1
    const name = `node-${made}`
    const replica: Node = { name, port: await freePort(), data: join(directory, name) }
    run(
      'pg_basebackup',
      '-D',
      replica.data,
      '-d',
      urlOf('postgres', passwords.superuser, primary.port, 'postgres'),
      '-R',
      '-X',
      'stream',
      '-c',
      'fast',
    )
    start(replica)
    await untilAvailable(async () => (await ask(primary.port, "select 1 from pg_stat_replication where state = 'streaming'")).length > 0)
    await ask(primary.port, "alter system set synchronous_standby_names = '*'")
    await ask(primary.port, 'select pg_reload_conf()')
    await untilAvailable(async () => (await ask(primary.port, "select 1 from pg_stat_replication where sync_state = 'sync'")).length > 0)
    return replica
  }

  function writePooler(): void {
    writeFileSync(
      poolerFile,
      [
        '[databases]',
        `kist = host=127.0.0.1 port=${primary.port} dbname=kist`,
        '[pgbouncer]',
        'listen_addr = 127.0.0.1',
        `listen_port = ${poolerPort}`,
        'unix_socket_dir =',
        'auth_type = plain',
        `auth_file = ${join(directory, 'users.txt')}`,
        'pool_mode = transaction',
        // Fewer than the server's own connections, so that they are shared.
        'default_pool_size = 8',
        'max_client_conn = 500',
        'server_login_retry = 1',
        'query_wait_timeout = 30',
        `pidfile = ${poolerPid}`,
        `logfile = ${join(directory, 'pgbouncer.log')}`,
      ].join('\n'),
      { mode: 0o644 },
    )
  }

  async function startPooler(): Promise<void> {
    writePooler()
    writeFileSync(join(directory, 'users.txt'), `"kist_app" "${passwords.app}"\n`, { mode: 0o644 })
    spawn(pooler, [poolerFile], { stdio: 'ignore', ...account }).unref()
    await untilAvailable(() => Promise.resolve(existsSync(poolerPid)))
  }

  async function failOver(replica: Node): Promise<void> {
    const [pid] = readFileSync(join(primary.data, 'postmaster.pid'), 'utf8').split('\n').map(Number)
    process.kill(pid ?? 0, 'SIGKILL')
    while (isProcessAlive(pid ?? 0)) await delay(10)
    await ask(replica.port, "alter system set synchronous_standby_names = ''")
    run('pg_ctl', '-D', replica.data, '-w', 'promote')
    await ask(replica.port, 'select pg_reload_conf()')
    rmSync(primary.data, { recursive: true })
    primary = replica
    writePooler()
    process.kill(Number(readFileSync(poolerPid, 'utf8')), 'SIGHUP')
  }

  await makePrimary()
  await startPooler()
  return {
    urls: () => ({
      superuserUrl: urlOf('postgres', passwords.superuser, primary.port, 'postgres'),
      // Migrations take a session lock and connect to the primary; everything else uses the pooler.
      ownerUrl: urlOf('kist_owner', passwords.owner, primary.port, 'kist'),
      appUrl: urlOf('kist_app', passwords.app, poolerPort, 'kist'),
    }),
    addReplica,
    failOver,
    close: () => {
      process.kill(Number(readFileSync(poolerPid, 'utf8')), 'SIGTERM')
      run('pg_ctl', '-D', primary.data, '-m', 'immediate', 'stop')
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

function findBinaries(): string {
  const found = ['18', '17', '15'].map((version) => `/usr/lib/postgresql/${version}/bin`).find((path) => existsSync(path))
  if (found === undefined || !existsSync(pooler)) throw new Error('The packages are missing: apt-get install postgresql pgbouncer')
  return found
}

function accountOf(name: string): { uid: number; gid: number } {
  const [, , uid, gid] =
    readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((line) => line.startsWith(`${name}:`))
      ?.split(':') ?? []
  return { uid: Number(uid), gid: Number(gid) }
}

const urlOf = (user: string, password: string, port: number, database: string) =>
  `postgres://${user}:${password}@127.0.0.1:${port}/${database}`

const ask = (port: number, statement: string, database = 'postgres') =>
  queryOnce(urlOf('postgres', passwords.superuser, port, database), statement)

/**
 * A check that throws counts as false: servers are down meanwhile.
 *
 * @throws Error after a minute.
 */
export const untilAvailable = (check: () => Promise<boolean>): Promise<boolean> =>
  until(() => check().catch(() => false), 60_000, { intervalMs: 50 })
