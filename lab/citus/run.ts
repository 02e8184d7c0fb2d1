import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { countPlaywright, countVitest } from '#tools/test-count.ts'
import { removeCluster, startCluster, urlOf, type CitusCluster } from './cluster.ts'
import { measureCost } from './cost.ts'
import { importAndDistribute } from './import.ts'
import { exclusions } from './exclusions.ts'
import { installCitus } from './install.ts'

const usage =
  'npm run lab -- citus up [--source DIR] [--workers N] [--durable] | down | test [VITEST OPTIONS] | browsers [FILES] | nodes | away | cost [--quick] | import [--loans N]'
/** The running cluster of this checkout. */
const file = join(import.meta.dirname, '../../var/citus-lab.json')

/**
 * `npm run lab -- citus …`: a Citus cluster of this machine (`up`, `down`), the server tests and
 * browser tests on it (`test`, `browsers`), how many nodes each statement of a borrower reaches
 * (`nodes`), what the sweeps do while one is away (`away`), what a read and a posting cost
 * (`cost`), and a book that is imported and distributed (`import`).
 * It needs PostgreSQL 15 of Debian's packages; `up --source DIR` builds and installs Citus from
 * its source, as root.
 *
 * @returns whether it succeeded; of `test`, whether every test passed.
 */
export async function citus([action = '', ...args]: readonly string[]): Promise<boolean> {
  if (action === 'up') return bringUp(args)
  if (action === 'down') return bringDown()
  if (action === 'test') return runTests(args)
  if (action === 'browsers') return runBrowserTests(args)
  if (action === 'nodes' || action === 'away') return runCheck(action)
  if (action === 'import') return importAndDistribute(Number(args[args.indexOf('--loans') + 1] ?? 200_000))
  if (action === 'cost') return measureCost({ quick: args.includes('--quick') })
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
  const { passed, failures } = await countVitest('citus.json', ['--project', 'server', ...args], { KIST_TEST_CITUS: nodes })
  const reasonOf = (failure: string) => exclusions.find(({ file, title }) => failure.startsWith(`${file}: ${title}`))?.reason
  for (const failure of failures) {
    const reason = reasonOf(failure)
    console.log(reason === undefined ? `failed: ${failure}` : `excluded: ${failure} (${reason})`)
  }
  const excluded = failures.filter((failure) => reasonOf(failure) !== undefined).length
  const failed = failures.length - excluded
  console.log(`citus: ${passed} passed, ${failed} failed, ${excluded} excluded`)
  return failed === 0 && passed > 0
}

/** Runs browser tests with distributed tables: those of paying and tranches by default. */
async function runBrowserTests(args: readonly string[]): Promise<boolean> {
  const files = args.length > 0 ? args : ['pay.e2e', 'part-payment.e2e', 'waiting.e2e', 'tranches.e2e']
  const { passed, failed, failures } = await countPlaywright(files, { KIST_TEST_CITUS: nodesOf(readCluster()) })
  for (const failure of failures) console.log(`failed: ${failure}`)
  console.log(`citus, browsers: ${passed} passed, ${failed} failed`)
  return failed === 0 && passed > 0
}

/** In a process of its own, which reads the nodes from its environment when it starts. */
function runCheck(action: 'nodes' | 'away'): boolean {
  const cluster = readCluster()
  const [file, call] = action === 'nodes' ? ['one-node.ts', 'checkNodes()'] : ['node-away.ts', `checkNodeAway(${JSON.stringify(cluster)})`]
  const script = `import('./lab/citus/${file}').then(async (check) => process.exit((await check.${call}) ? 0 : 1))`
  const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    stdio: 'inherit',
    env: { ...process.env, KIST_TEST_CITUS: nodesOf(cluster) },
  })
  return status === 0
}

/** The cluster that `up` started. @throws Error if there is none. */
function readCluster(): CitusCluster {
  if (!existsSync(file)) throw new Error('No cluster is running: npm run lab -- citus up')
  return JSON.parse(readFileSync(file, 'utf8')) as CitusCluster
}

const nodesOf = ({ nodes }: CitusCluster): string => nodes.map((node) => urlOf(node)).join(',')
