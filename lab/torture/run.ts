import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { autopay } from './autopay.ts'
import { crashApi } from './crash-api.ts'
import { providerFaults } from './provider-faults.ts'
import { races } from './races.ts'
import { webhooks } from './webhooks.ts'
import { crashDb } from './crash-db.ts'
import { disk } from './disk.ts'
import { distributed } from './distributed.ts'
import { failover } from './failover.ts'
import { engine } from './engine.ts'
import { history } from './history.ts'
import { hostileInputs } from './hostile-inputs.ts'
import { flood } from './flood.ts'
import { fuzz } from './fuzz.ts'
import { processFaults } from './process-faults.ts'
import { fullDatabase } from './full-database.ts'
import { restore } from './restore.ts'
import { operations } from './operations.ts'
import type { TortureSuite } from './suite.ts'
import { twoVersions } from './two-versions.ts'

/**
 * `npm run torture -- [NAME…] --seed N --rounds N --cases N`: crash, fault and random suites;
 * prints a line for each. `--short`: the rounds that `npm test` runs. `engine --resets`:
 * loans whose rate is often reset; stopped and started again with the same seed, it continues.
 */

/** Run only when named: they need Debian packages or another version. */
const wanted: readonly TortureSuite[] = [failover, distributed, twoVersions]
const suites: readonly TortureSuite[] = [
  crashApi,
  crashDb,
  processFaults,
  webhooks,
  races,
  providerFaults,
  history,
  engine,
  fuzz,
  operations,
  autopay,
  flood,
  hostileInputs,
  disk,
  fullDatabase,
  restore,
  ...wanted,
]

const { values, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '5' },
    cases: { type: 'string', default: '1000' },
    short: { type: 'boolean', default: false },
    resets: { type: 'boolean', default: false },
    beside: { type: 'string' },
  },
})
const options = {
  ...values,
  seed: readCount('seed'),
  rounds: readCount('rounds'),
  cases: readCount('cases'),
  ...(values.beside !== undefined && { beside: resolve(values.beside) }),
}
const unknown = names.filter((name) => !suites.some((suite) => suite.name === name))
if (unknown.length > 0) fail(`There is no suite ${unknown.join(', ')}; there are ${suites.map(({ name }) => name).join(', ')}.`)

for (const suite of suites) {
  if (names.length > 0 ? !names.includes(suite.name) : wanted.includes(suite)) continue
  const { line, failed, detail } = await suite.run(options)
  for (const finding of detail.slice(0, 20)) console.error(`  ${finding}`)
  console.log(line)
  if (failed) process.exitCode = 1
}

function readCount(option: 'seed' | 'rounds' | 'cases'): number {
  if (!/^\d+$/.test(values[option])) fail(`--${option} takes a whole number.`)
  return Number(values[option])
}

function fail(message: string): never {
  console.error(message)
  process.exit(2)
}
