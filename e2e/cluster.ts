import { startTestCluster } from '#testkit/test-database.ts'
import { buildWebWhenStale } from '#tools/web-build.ts'

/** One PostgreSQL for all browser tests, each worker with a database of its own on it; and the web app as its sources are now. */
export default async function startCluster(): Promise<() => Promise<void>> {
  buildWebWhenStale()
  const { stop, ...cluster } = await startTestCluster()
  // The browser's profiles and what the portals keep go with the run.
  process.env['TMPDIR'] = cluster.directory
  process.env['KIST_TEST_CLUSTER'] = JSON.stringify(cluster)
  return stop
}
