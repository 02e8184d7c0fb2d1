import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
/** What a run leaves behind: reports, traces of what failed. */
export const results = join(root, 'test-results')

export type Count = { passed: number; failed: number }

export function clearResults(): void {
  rmSync(results, { recursive: true, force: true })
  mkdirSync(results, { recursive: true })
}

/** Runs Vitest; what is skipped has failed. `report` is a file name below {@link results}. */
export async function countVitest(report: string, args: readonly string[], environment: Record<string, string> = {}): Promise<Count> {
  const reporters = ['--reporter', 'default', '--reporter', 'json', '--outputFile.json', join(results, report)]
  const exitCode = await run('vitest', ['run', ...args, ...reporters], environment)
  return countOf(report, exitCode, (read) => ({
    passed: Number(read['numPassedTests']),
    failed: Number(read['numFailedTests']) + Number(read['numPendingTests']),
  }))
}

/** One run of a browser test, by the clock: it began `from` and ended at `to`. */
export type Attempt = { title: string; from: Date; to: Date }

/**
 * Runs the browser tests; what is skipped has failed.
 *
 * @param mayRepeat whether a test that passed at its second try counts as passed, given its first; by default it has failed.
 */
export async function countPlaywright(
  args: readonly string[] = [],
  environment: Record<string, string> = {},
  mayRepeat: (failed: Attempt) => boolean = () => false,
): Promise<Count> {
  const exitCode = await run('playwright', ['test', '--config', 'e2e/playwright.config.ts', ...args], environment)
  return countOf('e2e.json', exitCode, (report) => {
    const { expected, unexpected, skipped } = report['stats'] as Record<string, number>
    const repeated = flakyOf(report as Suite).map(mayRepeat)
    return {
      passed: (expected ?? 0) + repeated.filter(Boolean).length,
      failed: (unexpected ?? 0) + (skipped ?? 0) + repeated.filter((may) => !may).length,
    }
  })
}

type Suite = {
  suites?: Suite[]
  specs?: { title: string; tests: { status: string; results: { startTime: string; duration: number }[] }[] }[]
}

/** The first try of every test that passed at its second. */
function flakyOf({ suites = [], specs = [] }: Suite): Attempt[] {
  const own = specs.flatMap(({ title, tests }) =>
    tests
      .filter(({ status }) => status === 'flaky')
      .flatMap(({ results: [first] }) => (first ? [{ title, from: new Date(first.startTime), to: endOf(first) }] : [])),
  )
  return [...own, ...suites.flatMap(flakyOf)]
}

const endOf = ({ startTime, duration }: { startTime: string; duration: number }): Date => new Date(new Date(startTime).getTime() + duration)

function run(program: string, args: readonly string[], environment: Record<string, string>): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(join(root, 'node_modules/.bin', program), [...args], {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, ...environment },
    })
    child.once('close', (code) => resolve(code ?? 1))
  })
}

/** A runner that ends badly without a failed test, or without a report, counts as one failure. */
function countOf(file: string, exitCode: number, read: (report: Record<string, unknown>) => Count): Count {
  let count: Count = { passed: 0, failed: 0 }
  try {
    count = read(JSON.parse(readFileSync(join(results, file), 'utf8')) as Record<string, unknown>)
  } catch (error) {
    console.error(`There is no report of this stage: ${String(error)}`)
  }
  return exitCode !== 0 && count.failed === 0 ? { ...count, failed: 1 } : count
}
