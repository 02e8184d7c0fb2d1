import type { TestProject } from 'vitest/node'
import { startTestCluster } from './test-database.ts'

/** One PostgreSQL for the whole run: 18, or what KIST_TEST_POSTGRES names. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { stop, ...cluster } = await startTestCluster(process.env['KIST_TEST_POSTGRES'] === '15' ? 15 : 18)
  // Files and processes of the tests are removed after the run.
  process.env['TMPDIR'] = cluster.directory
  project.provide('cluster', cluster)
  return stop
}
