import { setTimeout as delay } from 'node:timers/promises'
import { addBorrowers, payOnce } from './borrowers.ts'
import { startCluster, untilAvailable, type Cluster } from './debian-cluster.ts'
import { portalSuite, type SuiteRun, type TortureSuite } from './suite.ts'

const borrowersAtOnce = 4

/**
 * The primary is killed during payments and the replica takes over. No acknowledged payment may be
 * lost.
 */
export const failover: TortureSuite = {
  name: 'failover',
  run: async (options) => {
    const cluster = await startCluster()
    try {
      const postgres = () => Promise.resolve({ ...cluster.urls(), stop: () => Promise.resolve() })
      return await portalSuite('failover', (suiteRun) => failOverAndOver(suiteRun, cluster), { postgres }).run(options)
    } finally {
      cluster.close()
    }
  },
}

async function failOverAndOver({ portal, options, round }: SuiteRun, cluster: Cluster): Promise<void> {
  const borrowers = await addBorrowers(portal, borrowersAtOnce)
  for (let index = 0; index < options.rounds; index += 1)
    await round(`failover ${index + 1}`, async () => {
      const replica = await cluster.addReplica()
      let isOver = false
      const paying = borrowers.map(async (borrower) => {
        do await payOnce(portal, borrower)
        while (!isOver)
      })
      await delay(3_000)
      const begun = Date.now()
      await cluster.failOver(replica)
      await untilAvailable(async () => (await portal.call('GET', '/portal/loans-summary', borrowers[0]?.token))?.status === 200)
      process.stderr.write(`failover: answered again after ${Date.now() - begun} ms\n`)
      await delay(1_000)
      isOver = true
      await Promise.all(paying)
    })
}
