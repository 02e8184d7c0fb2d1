import { setTimeout as delay } from 'node:timers/promises'
import { killNode, startCluster, startNode, removeCluster, urlOf, type CitusCluster, type CitusNode } from '#lab/citus/cluster.ts'
import { createCitusDatabase } from '#testkit/citus.ts'
import { queryOnce } from '#testkit/query-once.ts'
import { addBorrowers, payOnce, type Borrower } from './borrowers.ts'
import { portalSuite, type SuiteRun, type TortureSuite } from './suite.ts'
import type { Portal } from './portal.ts'

const borrowersCount = 12
const workers = 3
const database = 'kist'
/** A node stays away this long in the round of a long absence. */
const longAbsenceMs = 60_000
const shortAbsenceMs = 3_000

/**
 * `npm run torture -- distributed`: on a Citus cluster, each node and the coordinator are killed in
 * turn under payments, and shards are moved. Needs Citus (docs/scale.md). Prints for each kill the
 * share of refused requests of each node's borrowers.
 */
export const distributed: TortureSuite = {
  name: 'distributed',
  run: async (options) => {
    const cluster = await startCluster({ workers, isDurable: true })
    try {
      const urls = await createCitusDatabase(
        database,
        cluster.nodes.map((node) => urlOf(node)),
      )
      const postgres = () => Promise.resolve({ ...urls, stop: () => Promise.resolve() })
      const settings = { KIST_CITUS: 'on', KIST_JOB_SIGNALS: 'process' }
      const rounds = (suiteRun: SuiteRun) => runRounds(suiteRun, cluster)
      return await portalSuite('distributed', rounds, { postgres, settings }).run({ recoveryTimeoutMs: 120_000, ...options })
    } finally {
      removeCluster(cluster)
    }
  },
}

async function runRounds({ portal, options, round }: SuiteRun, cluster: CitusCluster): Promise<void> {
  const [coordinator, ...others] = cluster.nodes
  if (!coordinator) throw new Error('The cluster has no coordinator')
  for (let index = 0; index < options.rounds; index += 1) {
    const number = index + 1
    // New ones each time: they pay without a pause, and a loan has 120 instalments.
    const borrowers = await addBorrowers(portal, borrowersCount)
    for (const node of [...others, coordinator])
      await round(`${number}: ${node.name} killed`, () =>
        underPayments(portal, cluster, borrowers, () => awayFor(cluster, node, shortAbsenceMs)),
      )
    await round(`${number}: shards moved`, () => underPayments(portal, cluster, borrowers, () => moveShards(coordinator)))
  }
  const [first] = others
  if (!first) return
  const borrowers = await addBorrowers(portal, borrowersCount)
  await round(`${first.name} away for 60 s`, () => underPayments(portal, cluster, borrowers, () => awayFor(cluster, first, longAbsenceMs)))
}

async function awayFor(cluster: CitusCluster, node: CitusNode, absenceMs: number): Promise<void> {
  await killNode(node)
  await delay(absenceMs)
  startNode(cluster, node)
}

/** Moves one group of shards to another node, and back in the next round. */
async function moveShards(coordinator: CitusNode): Promise<void> {
  const [shard] = await queryOnce(
    urlOf(coordinator, database),
    `select shardid, nodename, nodeport, (
       select other.nodeport from pg_dist_node as other
       where other.noderole = 'primary' and other.shouldhaveshards and other.nodeport <> placed.nodeport order by random() limit 1
     ) as target
     from pg_dist_shard_placement as placed join pg_dist_shard using (shardid)
     where logicalrelid = 'users'::regclass order by random() limit 1`,
  )
  if (!shard) throw new Error('There is no shard')
  const { shardid, nodename, nodeport, target } = shard
  await queryOnce(
    urlOf(coordinator, database),
    `select citus_move_shard_placement(${String(shardid)}, '${String(nodename)}', ${String(nodeport)}, '${String(nodename)}', ${String(target)}, 'force_logical')`,
  )
}

/** Pays without a pause while `disturb` runs and for a second before and after; counts refusals. */
async function underPayments(
  portal: Portal,
  cluster: CitusCluster,
  borrowers: readonly Borrower[],
  disturb: () => Promise<void>,
): Promise<void> {
  const nodeOf = await placeBorrowers(cluster, borrowers)
  const counts = new Map<string, { asked: number; refused: number; failed: string[] }>()
  let isOver = false
  const asking = borrowers.map(async (borrower) => {
    const node = nodeOf.get(borrower.borrowerId) ?? ''
    const count = counts.get(node) ?? { asked: 0, refused: 0, failed: [] }
    counts.set(node, count)
    while (!isOver) {
      const answer = await portal.call('GET', '/portal/loans-summary', borrower.token)
      count.asked += 1
      if (answer?.status === 503) count.refused += 1
      else if (answer?.status !== 200) count.failed.push(`${answer?.status ?? 'nothing'} ${String(answer?.body['code'] ?? '')}`)
      await delay(50)
    }
  })
  const paying = borrowers.map(async (borrower) => {
    // A link waits for the node of its borrower.
    do await payOnce(portal, borrower, 2 * longAbsenceMs)
    while (!isOver)
  })
  const payments = Promise.all([...asking, ...paying])
  await Promise.race([delay(1_000), payments])
  try {
    await disturb()
    await delay(1_000)
  } finally {
    isOver = true
  }
  await payments
  const shares = [...counts]
    .sort()
    .map(([node, { asked, refused, failed }]) => `${node} ${refused} of ${asked} refused, ${failed.length} otherwise`)
  process.stderr.write(`distributed: ${shares.join('; ')}\n`)
  const failed = [...counts.values()].flatMap((count) => count.failed)
  if (failed.length > 0) throw new Error(`${failed.length} reads were answered neither 200 nor 503: ${failed.join(', ')}`)
}

/** The node of each borrower's rows. */
async function placeBorrowers({ nodes }: CitusCluster, borrowers: readonly Borrower[]): Promise<Map<string, string>> {
  const [coordinator] = nodes
  if (!coordinator) throw new Error('The cluster has no coordinator')
  const ids = borrowers.map(({ borrowerId }) => `'${borrowerId}'`).join(',')
  const rows = await queryOnce(
    urlOf(coordinator, database),
    `select id, nodeport from unnest(array[${ids}]::uuid[]) as id
     join pg_dist_shard_placement on shardid = get_shard_id_for_distribution_column('users', id)`,
  )
  return new Map(rows.map(({ id, nodeport }) => [String(id), nodes.find(({ port }) => port === Number(nodeport))?.name ?? '']))
}
