import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const tellsRandomLoans = ({ moduleId }: TestSpecification): number => (/fast-check|randomLoan/.test(readFileSync(moduleId, 'utf8')) ? 1 : 0)

/**
 * A mutant is done with at the first test that fails: examples, which take milliseconds, come
 * before properties, which take seconds.
 */
class ExamplesFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(
      files.toSorted((left, right) => tellsRandomLoans(left) - tellsRandomLoans(right) || left.moduleId.localeCompare(right.moduleId)),
    )
  }
}

/**
 * The tests that mutants of the engine are held against. The referee is left out: it would kill
 * more, and take half an hour longer.
 */
export default defineConfig({
  test: {
    include: ['domain/**/*.test.ts'],
    exclude: ['domain/referee.test.ts'],
    setupFiles: ['vitest.mutation.setup.ts'],
    sequence: { sequencer: ExamplesFirst },
    // All test files in one worker: a worker for each took two thirds of a mutant's time.
    isolate: false,
    // A busy machine is ten times as slow; what never ends is Stryker's to stop.
    testTimeout: 60_000,
  },
})
