import { crashApi } from './crash-api.ts'
import { providerFaults } from './provider-faults.ts'
import { races } from './races.ts'
import { webhooks } from './webhooks.ts'
import { crashDb } from './crash-db.ts'
import { disk } from './disk.ts'
import { engine } from './engine.ts'
import { history } from './history.ts'
import { fuzz } from './fuzz.ts'
import { restore } from './restore.ts'
import type { TortureSuite } from './suite.ts'

/**
 * `npm run torture -- [NAME…] --seed N --rounds N --cases N`: what the tests do once, many times and at random; a line a suite.
 * `--short` at the end: as much as the tests do.
 */

const suites: readonly TortureSuite[] = [crashApi, crashDb, webhooks, races, providerFaults, history, engine, fuzz, disk, restore]

const words = process.argv.slice(2)
const numberAfter = (option: string, absent: number): number => {
  const index = words.indexOf(option)
  const value = index === -1 ? absent : Number(words[index + 1])
  if (!Number.isInteger(value) || value < 0) fail(`${option} takes a whole number.`)
  return value
}
const options = {
  seed: numberAfter('--seed', 1),
  rounds: numberAfter('--rounds', 5),
  cases: numberAfter('--cases', 1_000),
  short: words.at(-1) === '--short',
}
const names = words.filter((word, index) => !word.startsWith('--') && !words[index - 1]?.startsWith('--'))
const unknown = names.filter((name) => !suites.some((suite) => suite.name === name))
if (unknown.length > 0) fail(`There is no suite ${unknown.join(', ')}; there are ${suites.map(({ name }) => name).join(', ')}.`)

for (const suite of suites) {
  if (names.length > 0 && !names.includes(suite.name)) continue
  const { line, failed, detail } = await suite.run(options)
  for (const finding of detail.slice(0, 20)) console.error(`  ${finding}`)
  console.log(line)
  if (failed) process.exitCode = 1
}

function fail(message: string): never {
  console.error(message)
  process.exit(2)
}
