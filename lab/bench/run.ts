import { parseArgs } from 'node:util'
import { closeBooks } from './book.ts'
import { coldFcpBenchmark } from './cold-paint.ts'
import { overloadBenchmark } from './overload.ts'
import { loanLcpBenchmark } from './loan-page.ts'
import { loginJsBenchmark, loginLcpBenchmark } from './login-page.ts'
import { jobLatencyBenchmark } from './job-latency.ts'
import { postingBenchmark } from './posting.ts'
import { growthBenchmark, readBenchmarks } from './reads.ts'
import { rateResetsBenchmark } from './rate-resets.ts'
import { memoryBenchmark, startBenchmark } from './replica-size.ts'
import { loanStateBenchmark, peerScheduleBenchmark, scheduleBenchmark, wholeScheduleBenchmark } from './schedule.ts'
import { tabChangeBenchmark } from './tab-change.ts'
import { usersSearchBenchmark } from './users-search.ts'
import type { Benchmark } from './measure.ts'

/** `npm run bench -- [--quick] [NAME…]`: each benchmark with its floor, a line each. */

const benchmarks: readonly Benchmark[] = [
  scheduleBenchmark,
  wholeScheduleBenchmark,
  peerScheduleBenchmark,
  loanStateBenchmark,
  usersSearchBenchmark,
  ...readBenchmarks,
  growthBenchmark,
  postingBenchmark,
  jobLatencyBenchmark,
  rateResetsBenchmark,
  memoryBenchmark,
  startBenchmark,
  overloadBenchmark,
  loginLcpBenchmark,
  loginJsBenchmark,
  loanLcpBenchmark,
  coldFcpBenchmark,
  tabChangeBenchmark,
]

/** `payment-link status` can also be written with a hyphen. */
const plain = (name: string) => name.replaceAll(' ', '-')
const { values, positionals } = parseArgs({ allowPositionals: true, options: { quick: { type: 'boolean', default: false } } })
const names = positionals.map(plain)
const unknown = names.filter((name) => !benchmarks.some((benchmark) => plain(benchmark.name) === name))
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}; there are ${benchmarks.map(({ name }) => plain(name)).join(', ')}.`)
  process.exit(2)
}
try {
  for (const benchmark of benchmarks)
    if (names.length === 0 || names.includes(plain(benchmark.name))) console.log(await benchmark.run(values))
} finally {
  await closeBooks()
}
