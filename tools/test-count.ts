import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

const root = join(import.meta.dirname, '..')
/** Directory of reports and traces of failed tests. */
export const results = join(root, 'test-results')

/** Duration of one test file. */
type FileTime = { file: string; seconds: number }
/** The result of a stage. `failures`: file and title of failed tests, and how the error begins. */
export type Count = { passed: number; failed: number; failures: readonly string[]; files: readonly FileTime[] }

export function clearResults(): void {
  rmSync(results, { recursive: true, force: true })
  mkdirSync(results, { recursive: true })
}

/** Runs Vitest; skipped tests count as failed. `report` is a file name below {@link results}. */
export async function countVitest(report: string, args: readonly string[], environment: Record<string, string> = {}): Promise<Count> {
  const reporters = ['--reporter', 'default', '--reporter', 'json', '--outputFile.json', join(results, report)]
  const exitCode = await run('vitest', ['run', ...args, ...reporters], environment)
  return countOf(report, exitCode, (read) => {
    const files = read['testResults'] as readonly VitestFile[]
    return {
      passed: Number(read['numPassedTests']),
      failed: Number(read['numFailedTests']) + Number(read['numPendingTests']),
      failures: files.flatMap(failuresOf),
      files: files.map(({ name, startTime, endTime }) => ({ file: fromRoot(name), seconds: (endTime - startTime) / 1_000 })),
    }
  })
}

type VitestFile = {
  name: string
  status: string
  startTime: number
  endTime: number
  message: string
  assertionResults: { status: string; fullName: string; failureMessages: string[] }[]
}
const fromRoot = (path: string): string => relative(root, path)

const errorLines = 12
/** Whoever sees only the end of the output sees why a test failed. */
function failureOf(file: string, title: string, [error = '']: readonly string[]): string {
  const lines = stripVTControlCharacters(error).split('\n')
  return [`${file}: ${title}`, ...lines.filter((line) => line.trim() !== '').slice(0, errorLines)].join('\n    ')
}

/** A file can fail without a failed test: when it cannot be loaded, or in its set-up. */
function failuresOf({ name, status, message, assertionResults }: VitestFile): string[] {
  const failed = assertionResults.filter((test) => test.status === 'failed')
  if (status === 'failed' && failed.length === 0) return [failureOf(fromRoot(name), 'could not be run', [message])]
  return failed.map(({ fullName, failureMessages }) => failureOf(fromRoot(name), fullName, failureMessages))
}

/** One run of a browser test, from `from` to `to`. */
export type Attempt = { title: string; from: Date; to: Date }

/**
 * Runs the browser tests; skipped tests count as failed.
 *
 * @param mayRepeat whether a test that passed on its second run counts as passed, given its first
 * run; by default it fails.
 */
export async function countPlaywright(
  args: readonly string[] = [],
  environment: Record<string, string> = {},
  mayRepeat: (failed: Attempt) => boolean = () => false,
): Promise<Count> {
  const exitCode = await run('playwright', ['test', '--config', 'e2e/playwright.config.ts', ...args], environment)
  return countOf('e2e.json', exitCode, (report) => countOfReport(report as PlaywrightReport, mayRepeat))
}

type PlaywrightReport = Suite & { stats: { expected: number; unexpected: number; skipped: number } }

/** Counts a report of Playwright: a test that failed once has failed, unless it may repeat. */
export function countOfReport(report: PlaywrightReport, mayRepeat: (failed: Attempt) => boolean): Count {
  const { expected, unexpected, skipped } = report.stats
  const specs = specsOf(report)
  const withStatus = (wanted: string) => specs.filter(({ tests }) => tests.some(({ status }) => status === wanted))
  const repeated = withStatus('flaky')
  const refused = repeated.filter((spec) => {
    const [first] = spec.tests.flatMap((test) => test.results)
    return !first || !mayRepeat(attemptOf(spec.title, first))
  })
  return {
    passed: expected + repeated.length - refused.length,
    failed: unexpected + skipped + refused.length,
    failures: [...withStatus('unexpected'), ...refused].map(({ file, title, tests }) => failureOf(`e2e/${file}`, title, errorsOf(tests))),
    files: [...Map.groupBy(specs, ({ file }) => file)].map(([file, own]) => ({ file: `e2e/${file}`, seconds: secondsOf(own) })),
  }
}

type TestResult = { startTime: string; duration: number; error?: { message?: string } }
type Spec = { file: string; title: string; tests: { status: string; results: TestResult[] }[] }
type Suite = { suites?: Suite[]; specs?: Spec[] }

const specsOf = ({ suites = [], specs = [] }: Suite): Spec[] => [...specs, ...suites.flatMap(specsOf)]

const errorsOf = (tests: Spec['tests']): string[] =>
  tests.flatMap(({ results: tries }) => tries.flatMap(({ error }) => error?.message ?? []))

const secondsOf = (specs: readonly Spec[]): number =>
  specs.flatMap(({ tests }) => tests.flatMap(({ results: tries }) => tries)).reduce((sum, { duration }) => sum + duration / 1_000, 0)

function attemptOf(title: string, { startTime, duration }: TestResult): Attempt {
  const from = new Date(startTime)
  return { title, from, to: new Date(from.getTime() + duration) }
}

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

/** A runner that fails without a failed test or without a report counts as one failure. */
function countOf(file: string, exitCode: number, read: (report: Record<string, unknown>) => Count): Count {
  let count: Count = { passed: 0, failed: 0, failures: [], files: [] }
  try {
    count = read(JSON.parse(readFileSync(join(results, file), 'utf8')) as Record<string, unknown>)
  } catch (error) {
    console.error(`There is no report of this stage: ${String(error)}`)
  }
  return exitCode !== 0 && count.failed === 0 ? { ...count, failed: 1 } : count
}
