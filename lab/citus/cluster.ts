import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '#server/database/free-port.ts'
import { queryOnce } from '#testkit/query-once.ts'

/** A node of the cluster; the first is the coordinator. */
export type CitusNode = { name: string; port: number; data: string }
/** A running cluster. Its roles have no password: it listens on loopback. */
export type CitusCluster = { directory: string; nodes: CitusNode[] }

const binaries = '/usr/lib/postgresql/15/bin'

/** PostgreSQL refuses root: as root, the servers run as the account of Debian's package. */
const account = userInfo().uid === 0 ? findAccount('postgres') : null

function findAccount(name: string): { uid: number; gid: number } {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${name}:`))
  if (line === undefined) throw new Error(`There is no account ${name}: apt-get install postgresql-15`)
  const [, , uid, gid] = line.split(':')
  return { uid: Number(uid), gid: Number(gid) }
}

/**
 * Starts a coordinator and workers in a new directory below /tmp. Without workers it is one
 * PostgreSQL without Citus.
 *
 * @param isDurable false where only the answers matter: a power cut may then lose data.
 * @throws Error if Citus is not installed; `installCitus` builds it.
 */
export async function startCluster({ workers, isDurable }: { workers: number; isDurable: boolean }): Promise<CitusCluster> {
  if (workers > 0 && !existsSync(`${binaries}/../lib/citus.so`))
    throw new Error('Citus is not installed: see docs/scale.md, "The cluster of the lab"')
  const directory = mkdtempSync('/tmp/kist-citus-')
  if (account) chownSync(directory, account.uid, account.gid)
  const nodes: CitusNode[] = []
  for (const name of ['coordinator', ...Array.from({ length: workers }, (_, index) => `worker-${index + 1}`)]) {
    const node = { name, port: await freePort(), data: join(directory, name) }
    run(directory, 'initdb', ['-D', node.data, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8'])
    writeFileSync(join(node.data, 'postgresql.auto.conf'), configuration(node, { isDurable, hasCitus: workers > 0 }))
    startNode({ directory, nodes }, node)
    for (const role of ['kist_owner', 'kist_app']) await queryOnce(urlOf(node), `create role ${role} login`)
    // For clients that do not know of KIST_CITUS, such as a test's own.
    if (workers > 0) await queryOnce(urlOf(node), "alter role kist_app set citus.propagate_set_commands = 'local'")
    nodes.push(node)
  }
  return { directory, nodes }
}

const citusSettings = {
  shared_preload_libraries: 'citus',
  // Each database with the extension has a maintenance process.
  max_worker_processes: 80,
  max_prepared_transactions: 300,
  // Loopback has no certificates.
  'citus.node_conninfo': 'sslmode=disable',
  'citus.max_background_task_executors_per_node': 1,
}

function configuration({ port }: CitusNode, { isDurable, hasCitus }: { isDurable: boolean; hasCitus: boolean }): string {
  return Object.entries({
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 300,
    shared_buffers: '256MB',
    // Moving a shard needs logical decoding.
    wal_level: 'logical',
    log_min_messages: 'warning',
    timezone: 'UTC',
    ...(hasCitus && citusSettings),
    ...(isDurable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  })
    .map(([name, value]) => `${name} = '${value}'\n`)
    .join('')
}

/** Starts one node again, after it was killed or stopped. */
export function startNode({ directory }: CitusCluster, { name, data }: CitusNode): void {
  run(directory, 'pg_ctl', ['-D', data, '-w', '-t', '60', '-l', join(directory, `${name}.log`), 'start'])
}

/** Kills a node as a power failure does: its processes end without a word. */
export async function killNode({ data }: CitusNode): Promise<void> {
  const [pid = 0] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n').map(Number)
  process.kill(pid, 'SIGKILL')
  // Until its parent has seen its end, PostgreSQL takes it for a server that runs.
  while (existsSync(`/proc/${pid}`)) await delay(10)
}

/** Stops all nodes and deletes their data. */
export function removeCluster({ directory, nodes }: CitusCluster): void {
  for (const { data } of nodes)
    if (existsSync(join(data, 'postmaster.pid'))) run(directory, 'pg_ctl', ['-D', data, '-m', 'immediate', 'stop'])
  rmSync(directory, { recursive: true, force: true })
}

/** The address of a node for its superuser. */
export const urlOf = ({ port }: CitusNode, database = 'postgres'): string => `postgres://postgres@127.0.0.1:${port}/${database}`

function run(directory: string, program: string, args: readonly string[]): void {
  mkdirSync(directory, { recursive: true })
  const env = { ...process.env, HOME: directory, LC_ALL: 'C' }
  execFileSync(join(binaries, program), args, { cwd: directory, stdio: ['ignore', 'ignore', 'pipe'], env, ...account })
}
