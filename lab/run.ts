import { clones } from './clones.ts'
import { oddDays } from './odd-days.ts'

/**
 * `npm run lab -- NAME…`: what takes long, or needs Debian packages or root. A line a result; the
 * exit code says whether all of it holds.
 */

const suites: Readonly<Record<string, (args: readonly string[]) => Promise<boolean>>> = { clones, 'odd-days': oddDays }

const [name = '', ...args] = process.argv.slice(2)
const suite = suites[name]
if (suite === undefined) {
  console.error(`There is no suite "${name}". There are: ${Object.keys(suites).join(', ')}.`)
  process.exitCode = 2
} else {
  process.exitCode = (await suite(args)) ? 0 : 1
}
