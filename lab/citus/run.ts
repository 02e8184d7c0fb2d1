import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { countVitest } from '#tools/test-count.ts'
import { removeCluster, startCluster, urlOf, type CitusCluster } from './cluster.ts'
import { installCitus } from './install.ts'

const usage = 'npm run lab -- citus up [--source DIR] [--workers N] [--durable] | down | test [VITEST OPTIONS] | nodes'
/** The running cluster of this checkout. */
const file = join(import.meta.dirname, '../../var/citus-lab.json')

/**
 * `npm run lab -- citus up|down|test|nodes`: a Citus cluster of this machine, the server tests on
 * it, and how many nodes each statement of a borrower reaches.
 * It needs PostgreSQL 15 of Debian's packages; `up --source DIR` builds and installs Citus from
 * its source, as root.
 *
 * @returns whether it succeeded; of `test`, whether every test passed.
 */
export async function citus([action = '', ...args]: readonly string[]): Promise<boolean> {
  if (action === 'up') return bringUp(args)
  if (action === 'down') return bringDown()
  if (action === 'test') return runTests(args)
  if (action === 'nodes') return runNodes()
  console.error(usage)
  return false
}

async function bringUp(args: readonly string[]): Promise<boolean> {
  if (existsSync(file)) throw new Error('A cluster is running: npm run lab -- citus down')
  const valueOf = (option: string) => (args.includes(option) ? args[args.indexOf(option) + 1] : undefined)
  const source = valueOf('--source')
  if (source !== undefined) installCitus(source)
  const cluster = await startCluster({ workers: Number(valueOf('--workers') ?? 3), isDurable: args.includes('--durable') })
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify(cluster))
  for (const { name, port } of cluster.nodes) console.log(`${name}: 127.0.0.1:${port}`)
  console.log(`KIST_TEST_CITUS=${nodesOf(cluster)}`)
  return true
}

function bringDown(): boolean {
  removeCluster(readCluster())
  rmSync(file)
  return true
}

/** Runs tests with distributed tables; all of the server's by default. */
async function runTests(args: readonly string[]): Promise<boolean> {
  const nodes = nodesOf(readCluster())
  const { passed, failed, failures } = await countVitest('citus.json', ['--project', 'server', ...args], { KIST_TEST_CITUS: nodes })
  for (const failure of failures) console.log(`failed: ${failure}`)
  console.log(`citus: ${passed} passed, ${failed} failed`)
  return failed === 0 && passed > 0
}

/** In a process of its own, which reads the nodes from its environment when it starts. */
function runNodes(): boolean {
  const script = "import('./lab/citus/one-node.ts').then(async ({ checkNodes }) => process.exit((await checkNodes()) ? 0 : 1))"
  const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    stdio: 'inherit',
    env: { ...process.env, KIST_TEST_CITUS: nodesOf(readCluster()) },
  })
  return status === 0
}

/** The cluster that `up` started. @throws Error if there is none. */
function readCluster(): CitusCluster {
  if (!existsSync(file)) throw new Error('No cluster is running: npm run lab -- citus up')
  return JSON.parse(readFileSync(file, 'utf8')) as CitusCluster
}

const nodesOf = ({ nodes }: CitusCluster): string => nodes.map((node) => urlOf(node)).join(',')
