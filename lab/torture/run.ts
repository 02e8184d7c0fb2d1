import { resolve } from 'node:path'
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
 * prints a line for each. `--short` at the end: the rounds that `npm test` runs. `engine --resets`:
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

const words = process.argv.slice(2).filter((word) => word !== '--resets')
const numberAfter = (option: string, absent: number): number => {
  const index = words.indexOf(option)
  const value = index === -1 ? absent : Number(words[index + 1])
  if (!Number.isInteger(value) || value < 0) fail(`${option} takes a whole number.`)
  return value
}
const beside = words[words.indexOf('--beside') + 1]
const options = {
  seed: numberAfter('--seed', 1),
  rounds: numberAfter('--rounds', 5),
  cases: numberAfter('--cases', 1_000),
  short: words.at(-1) === '--short',
  resets: process.argv.includes('--resets'),
  ...(words.includes('--beside') && beside !== undefined && { beside: resolve(beside) }),
}
const names = words.filter((word, index) => !word.startsWith('--') && !words[index - 1]?.startsWith('--'))
const unknown = names.filter((name) => !suites.some((suite) => suite.name === name))
if (unknown.length > 0) fail(`There is no suite ${unknown.join(', ')}; there are ${suites.map(({ name }) => name).join(', ')}.`)

for (const suite of suites) {
  if (names.length > 0 ? !names.includes(suite.name) : wanted.includes(suite)) continue
  const { line, failed, detail } = await suite.run(options)
  for (const finding of detail.slice(0, 20)) console.error(`  ${finding}`)
  console.log(line)
  if (failed) process.exitCode = 1
}

function fail(message: string): never {
  console.error(message)
  process.exit(2)
}
