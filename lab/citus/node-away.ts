import { uuidv7 } from 'uuidv7'
import { selectDueCollections } from '#server/autopay/collection-store.ts'
import { selectDueMandates } from '#server/autopay/mandate-store.ts'
import { claimFollowUps, saveFollowUp, selectDueFollowUps } from '#server/ledger/follow-up-store.ts'
import { selectWaitingTexts } from '#server/notices/notice-store.ts'
import { selectDueLinks } from '#server/payments/links/link-store.ts'
import { selectDueRefunds } from '#server/payments/refund-store.ts'
import { queryOnce } from '#testkit/query-once.ts'
import { openTestContext } from '#testkit/test-context.ts'
import { startTestCluster } from '#testkit/test-database.ts'
import { killNode, startNode, type CitusCluster } from './cluster.ts'

const loansCount = 60

/**
 * `npm run lab -- citus away`: kills each node in turn and looks for due work meanwhile. The
 * sweeps must find and claim that of the other nodes' borrowers. Prints a line for each node.
 *
 * @returns whether they do.
 */
export async function checkNodeAway(nodes: CitusCluster): Promise<boolean> {
  const cluster = await startTestCluster()
  const app = await openTestContext(cluster)
  const { database } = app
  const now = new Date()
  let failures = 0
  try {
    await database.asSystem(async (sql) => {
      for (let index = 0; index < loansCount; index += 1) await saveFollowUp(sql, { borrower_id: uuidv7(), loan_id: uuidv7() }, now)
    })
    const countOn = async (port: number) => {
      const rows = await queryOnce(
        app.superuserUrl,
        `select count(*) from loan_follow_ups join pg_dist_shard_placement
         on shardid = get_shard_id_for_distribution_column('loan_follow_ups', borrower_id) where nodeport = ${port}`,
      )
      return Number(rows[0]?.['count'])
    }
    for (const node of nodes.nodes.slice(1)) {
      const own = await countOn(node.port)
      await killNode(node)
      try {
        const found = await database.findAvailable(loansCount, (sql) => selectDueFollowUps(sql, now, loansCount))
        // Claimed for now again, so that the next node's round finds them too.
        const claimed = await database.asSystem((sql) => claimFollowUps(sql, found, now, () => 0))
        await database.findAvailable(10, (sql) => selectDueLinks(sql, now, 10))
        await database.findAvailable(10, (sql) => selectDueRefunds(sql, now, 10))
        await database.findAvailable(10, (sql) => selectDueCollections(sql, now, 10))
        await database.findAvailable(10, (sql) => selectDueMandates(sql, now, 10))
        await database.findAvailable(10, (sql) => selectWaitingTexts(sql, 10))
        console.log(`${node.name} away: ${own} of ${loansCount} loans are there, ${claimed.length} of the others claimed`)
        if (own === 0 || claimed.length !== loansCount - own) failures += 1
      } finally {
        startNode(nodes, node)
      }
    }
  } finally {
    await app.close()
    await cluster.stop()
  }
  return failures === 0
}
