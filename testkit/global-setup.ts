import type { TestProject } from 'vitest/node'
import { startTestCluster, type TestCluster } from './test-database.ts'

declare module 'vitest' {
  interface ProvidedContext {
    cluster: TestCluster
  }
}

/** One PostgreSQL for the whole run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { stop, ...cluster } = await startTestCluster()
  project.provide('cluster', cluster)
  return stop
}
