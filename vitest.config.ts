import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const include = (...directories: string[]) =>
  directories.flatMap((directory) => [`${directory}/**/*.test.ts`, `${directory}/**/*.test.tsx`])

const repositoryRules = [
  'tools/check-migrations.test.ts',
  'tools/check-repo.test.ts',
  'tools/pages.test.ts',
  'tools/screens-page.test.ts',
  'tools/deployment.test.ts',
  'tools/supply-chain.test.ts',
  'tools/structure.test.ts',
  'tools/boundaries.test.ts',
  'tools/words.test.ts',
  'tools/workflows.test.ts',
  // Builds the web app when its sources are newer than what is built.
  'tools/web-budgets.test.ts',
]

/** Until something hangs for sure: a machine that is busy otherwise is ten times as slow. */
const limits = { testTimeout: 180_000, hookTimeout: 300_000 }

/**
 * The test files of one worker share the loaded modules: to load them again for each file takes a
 * quarter of the time. A test resets the module state that it changes; runs in random order show
 * whether it does.
 */
const shared = { isolate: false, ...limits }

/**
 * With a seed, files run in random order, and so do the unit tests within a file. The tests of an
 * API file are the steps of one history on one database, so they keep their order.
 */
const seed = process.env['KIST_TEST_SEED']
const randomOrder = (tests: boolean) => (seed === undefined ? {} : { sequence: { seed: Number(seed), shuffle: { files: true, tests } } })

/** The longest, but small: by size, in a fresh checkout, they would run last, and on one core. */
const longest = ['hostile-inputs', 'suites', 'planted-defect'].map((name) => `/lab/torture/${name}.api.test.ts`)
const isLongest = ({ moduleId }: TestSpecification) => longest.some((file) => moduleId.endsWith(file))

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return [...sorted.filter(isLongest), ...sorted.filter((file) => !isLongest(file))]
  }
}
const fixedOrder = seed === undefined ? { sequence: { sequencer: LongestFirst } } : randomOrder(false)

export default defineConfig({
  test: {
    ...fixedOrder,
    // Tests wait for a database and for jobs as much as they compute: one worker more than cores
    // keeps all of them busy.
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        test: {
          ...shared,
          ...randomOrder(true),
          name: 'unit',
          include: include('domain', 'contract', 'web', 'sandbox'),
          exclude: ['**/*.api.test.ts'],
        },
      },
      {
        test: {
          name: 'repo',
          include: repositoryRules,
          ...limits,
        },
      },
      {
        test: {
          ...shared,
          ...randomOrder(false),
          name: 'server',
          include: include('server', 'cli', 'testkit', 'tools', 'lab'),
          exclude: repositoryRules,
          globalSetup: ['testkit/global-setup.ts'],
        },
      },
    ],
  },
})
