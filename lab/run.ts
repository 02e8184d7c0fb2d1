import { citus } from './citus/run.ts'
import { clones } from './clones.ts'
import { lighthouse } from './lighthouse.ts'
import { oddDays } from './odd-days.ts'

/**
 * `npm run lab -- NAME…`: suites that take long or need Debian packages or root. Prints a line for
 * each result; the exit code is 0 if all pass.
 */

const suites: Readonly<Record<string, (args: readonly string[]) => Promise<boolean>>> = { citus, clones, lighthouse, 'odd-days': oddDays }

const [name = '', ...args] = process.argv.slice(2)
const suite = suites[name]
if (suite === undefined) {
  console.error(`There is no suite "${name}". There are: ${Object.keys(suites).join(', ')}.`)
  process.exitCode = 2
} else {
  process.exitCode = (await suite(args)) ? 0 : 1
}
