import { availableParallelism, cpus } from 'node:os'
import { join } from 'node:path'
import { runChecks } from './check.ts'
import { clearResults, countPlaywright, countVitest, type Count } from './test-count.ts'
import { buildWebWhenStale } from './web-build.ts'

/**
 * `npm test`: all checks and tests, in stages, for small machines. With `-- --shuffle [SEED]` unit
 * and API tests run in random order (vitest.config.ts); the seed is printed.
 */

const slowestShown = 10
/** With less processor use than this, the tests of an idle machine wait for something. */
const busyShareMin = 0.7

// The tests start hundreds of Node processes, which otherwise compile the same modules again.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '../node_modules/.cache/kist/compiled')

clearResults()
const startedAt = performance.now()
const cpuBefore = cpuTimes()

/**
 * Tests of what may differ between the versions: migrations, rights, locks, ledger
 * (docs/runbook.md).
 */
const onPostgres15 = [
  'server/migrate.api.test.ts',
  'server/database/row-security.api.test.ts',
  'server/database/upgrade.api.test.ts',
  'server/payments/payments.api.test.ts',
]

const counts: Count[] = []
const order = orderFrom(process.argv.slice(2))

stage('Types, lint, format, repo rules')
const checks = await runChecks()
const failedChecks = checks.filter(({ passed }) => !passed).map(({ name }) => `check: ${name}`)
counts.push({ passed: checks.length - failedChecks.length, failed: failedChecks.length, failures: failedChecks, files: [] })

stage('Unit tests and the API on a real PostgreSQL')
buildWebWhenStale()
counts.push(await countVitest('vitest.json', ['--project', 'unit', '--project', 'server'], order))

stage('The oldest PostgreSQL that may be given: 15')
counts.push(await countVitest('vitest-15.json', ['--project', 'server', ...onPostgres15], { KIST_TEST_POSTGRES: '15' }))

stage('The browser')
counts.push(await countPlaywright())

printSlowest()
printBusyShare()
for (const failure of counts.flatMap(({ failures }) => failures)) console.log(`FAILED  ${failure}`)
const total = (of: 'passed' | 'failed') => counts.reduce((sum, count) => sum + count[of], 0)
console.log(`\n${total('passed')} passed, ${total('failed')} failed`)
process.exitCode = total('failed') === 0 ? 0 : 1

/** The environment that sets the order of unit and API tests. */
function orderFrom([word, seed = String(Date.now())]: readonly string[]): Record<string, string> {
  if (word !== '--shuffle') return {}
  console.log(`In random order, seed ${seed}`)
  return { KIST_TEST_SEED: seed }
}

function stage(name: string): void {
  console.log(`\n── ${name} ──`)
}

function printSlowest(): void {
  console.log('\nThe slowest files:')
  const slowest = counts.flatMap(({ files }) => files).sort((a, b) => b.seconds - a.seconds)
  for (const { file, seconds } of slowest.slice(0, slowestShown)) console.log(`${seconds.toFixed(1).padStart(7)} s  ${file}`)
}

function printBusyShare(): void {
  const seconds = Math.round((performance.now() - startedAt) / 1_000)
  const [busy = 0, all = 1] = cpuTimes().map((time, index) => time - (cpuBefore[index] ?? 0))
  const cores = availableParallelism()
  console.log(`\n${seconds} s, ${((cores * busy) / all).toFixed(1)} of ${cores} cores busy`)
  if (busy / all < busyShareMin) console.log('WARNING: the tests wait for more than they compute: see the slowest files.')
}

/** Busy and total milliseconds of all cores since the machine started. */
function cpuTimes(): [busy: number, all: number] {
  const times = cpus().map((cpu) => cpu.times)
  const all = times.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0)
  return [all - times.reduce((sum, { idle }) => sum + idle, 0), all]
}
