import { runChecks } from './check.ts'
import { clearResults, countPlaywright, countVitest, type Count } from './test-count.ts'
import { buildWebWhenStale } from './web-build.ts'

/** `npm test`: everything that must hold. One stage after the other, since a small machine does one thing well. */

clearResults()

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
counts.push(await countVitest('vitest.json', ['--project', 'unit', '--project', 'server']))

stage('The oldest PostgreSQL that may be given: 15')
counts.push(await countVitest('vitest-15.json', ['--project', 'server', ...onPostgres15], { KIST_TEST_POSTGRES: '15' }))

stage('The browser')
counts.push(await countPlaywright())

const total = counts.reduce((sum, count) => ({ passed: sum.passed + count.passed, failed: sum.failed + count.failed }), {
  passed: 0,
  failed: 0,
})
console.log(`\n${total.passed} passed, ${total.failed} failed`)
process.exitCode = total.failed === 0 ? 0 : 1

function stage(name: string): void {
  console.log(`\n── ${name} ──`)
}
