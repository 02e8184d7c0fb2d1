import { execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { isProcessAlive } from '#server/database/process-alive.ts'
import { freePort } from '#testkit/free-port.ts'
import { addBorrowers, payOnce } from './borrowers.ts'
import { portalSuite } from './suite.ts'

/**
 * `npx node torture/failover.ts [ROUNDS]`, on Debian with its packages postgresql, pgbouncer and postgresql-client: a primary, a streaming replica
 * that commits synchronously, and pgbouncer in transaction mode in front. Payments run; the primary is killed; the replica takes
 * over; pgbouncer is told. Nothing that was acknowledged may be lost.
 */

const rounds = Number(process.argv[2] ?? 2)
const binaries = ['/usr/lib/postgresql/18/bin', '/usr/lib/postgresql/17/bin', '/usr/lib/postgresql/15/bin'].find((path) => existsSync(path))
if (!binaries || !existsSync('/usr/sbin/pgbouncer')) throw new Error('apt-get install postgresql pgbouncer')

// PostgreSQL refuses root, and its own account must reach the directory.
const account = userInfo().uid === 0 ? accountOf('postgres') : null
const directory = mkdtempSync('/tmp/kist-failover-')
if (account) chownSync(directory, account.uid, account.gid)
const passwords = { superuser: 'superuser-of-the-drill', owner: 'owner-of-the-drill', app: 'app-of-the-drill' }
const poolerPort = await freePort()

type Node = { name: string; port: number; data: string }
let primary = await newNode('one')
let made = 1

function accountOf(name: string): { uid: number; gid: number } {
  const [, , uid, gid] =
    readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((line) => line.startsWith(`${name}:`))
      ?.split(':') ?? []
  return { uid: Number(uid), gid: Number(gid) }
}

async function newNode(name: string): Promise<Node> {
  return { name, port: await freePort(), data: join(directory, name) }
}

function run(program: string, ...args: string[]): void {
  execFileSync(join(binaries ?? '', program), args, {
    cwd: directory,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, PGPASSWORD: passwords.superuser },
    ...account,
  })
}

const urlOf = (user: string, password: string, port: number, database: string) =>
  `postgres://${user}:${password}@127.0.0.1:${port}/${database}`

async function ask(port: number, statement: string, database = 'postgres'): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: urlOf('postgres', passwords.superuser, port, database) })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end()
  }
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

/** A replica of the primary; from when it has caught up, a commit is answered only when it is on both. */
async function addReplica(): Promise<Node> {
  made += 1
  const replica = await newNode(`node-${made}`)
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
  await until(async () => (await ask(primary.port, "select 1 from pg_stat_replication where state = 'streaming'")).length > 0)
  await ask(primary.port, "alter system set synchronous_standby_names = '*'")
  await ask(primary.port, 'select pg_reload_conf()')
  await until(async () => (await ask(primary.port, "select 1 from pg_stat_replication where sync_state = 'sync'")).length > 0)
  return replica
}

async function until(check: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000
  while (!(await check().catch(() => false))) {
    if (Date.now() > deadline) throw new Error('What was waited for did not happen')
    await delay(50)
  }
}

const poolerFile = join(directory, 'pgbouncer.ini')
const poolerPid = join(directory, 'pgbouncer.pid')

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
      // Fewer than the server's own, so that connections are really shared.
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
  spawn('/usr/sbin/pgbouncer', [poolerFile], { stdio: 'ignore', ...account }).unref()
  await until(() => Promise.resolve(existsSync(poolerPid)))
}

/** Kills the primary as a power cut does, and has the replica take over. */
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

const failover = portalSuite(
  'failover',
  async ({ portal, options, round }) => {
    const borrowers = await addBorrowers(portal, 4)
    for (let index = 0; index < options.rounds; index += 1)
      await round(`failover ${index + 1}`, async () => {
        const replica = await addReplica()
        let isOver = false
        const paying = borrowers.map(async (borrower) => {
          do await payOnce(portal, borrower)
          while (!isOver)
        })
        await delay(3_000)
        const begun = Date.now()
        await failOver(replica)
        await until(async () => (await portal.call('GET', '/portal/loans-summary', borrowers[0]?.token))?.status === 200)
        process.stderr.write(`failover: answered again after ${Date.now() - begun} ms\n`)
        await delay(1_000)
        isOver = true
        await Promise.all(paying)
      })
  },
  {
    postgres: async () => ({
      superuserUrl: urlOf('postgres', passwords.superuser, primary.port, 'postgres'),
      // Migrations lock a session, so they go straight to the primary; all else goes through the pooler.
      ownerUrl: urlOf('kist_owner', passwords.owner, primary.port, 'kist'),
      appUrl: urlOf('kist_app', passwords.app, poolerPort, 'kist'),
      stop: () => Promise.resolve(),
    }),
  },
)

mkdirSync(directory, { recursive: true })
await makePrimary()
await startPooler()
try {
  const { line, detail, failed } = await failover.run({ seed: 1, rounds, cases: 0, short: false })
  for (const finding of detail.slice(0, 20)) console.error(`  ${finding}`)
  console.log(line)
  if (failed) process.exitCode = 1
} finally {
  process.kill(Number(readFileSync(poolerPid, 'utf8')), 'SIGTERM')
  run('pg_ctl', '-D', primary.data, '-m', 'immediate', 'stop')
  rmSync(directory, { recursive: true, force: true })
}
