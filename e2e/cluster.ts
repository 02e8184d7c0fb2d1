import { startTestCluster } from '#testkit/test-database.ts'
import { buildWebWhenStale } from '#tools/web-build.ts'

/**
 * One PostgreSQL for all browser tests, with a database for each worker; and a build of the current
 * web app.
 */
export default async function startCluster(): Promise<() => Promise<void>> {
  buildWebWhenStale()
  const { stop, ...cluster } = await startTestCluster()
  // The browser's profiles and the portals' data are deleted after the run.
  process.env['TMPDIR'] = cluster.directory
  process.env['KIST_TEST_CLUSTER'] = JSON.stringify(cluster)
  return stop
}
