import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { clearResults, countPlaywright, results, type Attempt } from './test-count.ts'

/**
 * `npm run test:balanced -- [--left-dead] [PLAYWRIGHT OPTIONS]`: the browser tests on two web
 * processes behind HAProxy and a worker, on one database. Every half minute one of the two is
 * killed and restarted; with `--left-dead` one is killed once and not restarted.
 */

const args = process.argv.slice(2)
const killsFile = join(results, 'killed-replicas.txt')
const repeated: string[] = []

execFileSync('haproxy', ['-v'], { stdio: 'ignore' })
clearResults()
const { passed, failed } = await countPlaywright(
  args.filter((word) => word !== '--left-dead'),
  { KIST_TEST_BALANCER: args.includes('--left-dead') ? 'left-dead' : 'restarted', KIST_TEST_KILLS: killsFile },
  wasUnderAKill,
)
const kills = readKills()
for (const title of repeated) console.log(`passed at the second try, a replica was killed under the first: ${title}`)
const times = kills.map((kill) => kill.toISOString().slice(11, 19))
console.log(`\nbalanced: ${passed} passed, ${failed} failed, replicas killed ${kills.length} at ${times.join(', ')}`)
process.exitCode = failed === 0 && kills.length > 0 ? 0 : 1

/** Whether a replica was killed during the test, so that a request had no answer. */
function wasUnderAKill({ title, from, to }: Attempt): boolean {
  const isSo = readKills().some((kill) => kill >= from && kill <= to)
  if (isSo) repeated.push(title)
  return isSo
}

function readKills(): Date[] {
  try {
    return readFileSync(killsFile, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => new Date(line))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
