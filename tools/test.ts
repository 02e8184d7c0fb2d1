import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runChecks } from './check.ts'
import { buildWebWhenStale } from './web-build.ts'

/** `npm test`: everything that must hold. One stage after the other, since a small machine does one thing well. */

const root = join(import.meta.dirname, '..')
const results = join(root, 'test-results')

type Count = { passed: number; failed: number }

rmSync(results, { recursive: true, force: true })
mkdirSync(results, { recursive: true })

/** What the two versions may differ in: migrations, rights, locks of payments, the ledger. All of it: docs/runbook.md. */
const onPostgres15 = [
  'server/database/migrate.api.test.ts',
  'server/database/row-security.api.test.ts',
  'server/database/upgrade.api.test.ts',
  'server/payments/payments.api.test.ts',
]

const counts: Count[] = []

stage('Types, lint, format, repo rules')
const checks = await runChecks()
counts.push({ passed: checks.filter(({ passed }) => passed).length, failed: checks.filter(({ passed }) => !passed).length })

stage('Unit tests and the API on a real PostgreSQL')
buildWebWhenStale()
await runVitest('vitest.json', ['--project', 'unit', '--project', 'server'])

stage('The oldest PostgreSQL that may be given: 15')
await runVitest('vitest-15.json', ['--project', 'server', ...onPostgres15], { KIST_TEST_POSTGRES: '15' })

stage('The browser')
const playwrightCode = await run('playwright', ['test', '--config', 'e2e/playwright.config.ts'])
counts.push(
  countOf('e2e.json', playwrightCode, (report) => {
    const { expected, unexpected, skipped, flaky } = report['stats'] as Record<string, number>
    return { passed: expected ?? 0, failed: (unexpected ?? 0) + (skipped ?? 0) + (flaky ?? 0) }
  }),
)

const total = counts.reduce((sum, count) => ({ passed: sum.passed + count.passed, failed: sum.failed + count.failed }), {
  passed: 0,
  failed: 0,
})
console.log(`\n${total.passed} passed, ${total.failed} failed`)
process.exitCode = total.failed === 0 ? 0 : 1

function stage(name: string): void {
  console.log(`\n── ${name} ──`)
}

async function runVitest(report: string, args: readonly string[], environment: Record<string, string> = {}): Promise<void> {
  const reporters = ['--reporter', 'default', '--reporter', 'json', '--outputFile.json', join(results, report)]
  const code = await run('vitest', ['run', ...args, ...reporters], environment)
  counts.push(
    countOf(report, code, (read) => ({
      passed: Number(read['numPassedTests']),
      failed: Number(read['numFailedTests']) + Number(read['numPendingTests']),
    })),
  )
}

function run(program: string, args: readonly string[], environment: Record<string, string> = {}): Promise<number> {
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
