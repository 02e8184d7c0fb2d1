import { startTestCluster } from '#testkit/test-database.ts'

/** One PostgreSQL for all browser tests; each file has a database of its own on it. */
export default async function startCluster(): Promise<() => Promise<void>> {
  const { stop, ...cluster } = await startTestCluster()
  process.env['KIST_TEST_CLUSTER'] = JSON.stringify(cluster)
  return stop
}
