import { overloadBenchmark } from './overload.ts'
import { loanLcpBenchmark } from './loan-page.ts'
import { loginJsBenchmark, loginLcpBenchmark } from './login-page.ts'
import { loanStateBenchmark, peerScheduleBenchmark, scheduleBenchmark, wholeScheduleBenchmark } from './schedule.ts'
import { usersSearchBenchmark } from './users-search.ts'
import type { Benchmark } from './measure.ts'

/** `npm run bench -- [--quick] [NAME…]`: each benchmark beside its floor, a line each. */

const benchmarks: readonly Benchmark[] = [
  scheduleBenchmark,
  wholeScheduleBenchmark,
  peerScheduleBenchmark,
  loanStateBenchmark,
  usersSearchBenchmark,
  overloadBenchmark,
  loginLcpBenchmark,
  loginJsBenchmark,
  loanLcpBenchmark,
]

const names = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const quick = process.argv.includes('--quick')
const unknown = names.filter((name) => !benchmarks.some((benchmark) => benchmark.name === name))
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}; there are ${benchmarks.map(({ name }) => name).join(', ')}.`)
  process.exit(2)
}
for (const benchmark of benchmarks) if (names.length === 0 || names.includes(benchmark.name)) console.log(await benchmark.run({ quick }))
