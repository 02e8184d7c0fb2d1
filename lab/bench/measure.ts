/** A benchmark. `run` returns one line of results; with `quick` it takes less than 50 s. */
export type Benchmark = { name: string; run: (options: { quick: boolean }) => Promise<string> | string }

/**
 * Runs the tasks alternately, under the same conditions, and takes the best round of each.
 *
 * @returns iterations per second, in the order of the tasks.
 */
export function perSecond(tasks: readonly (() => void)[], { rounds, roundMs }: { rounds: number; roundMs: number }): number[] {
  const best = tasks.map(() => 0)
  for (const task of tasks) iterate(task, roundMs / 2)
  for (let round = 0; round < rounds; round++)
    tasks.forEach((task, index) => {
      best[index] = Math.max(best[index] ?? 0, iterate(task, roundMs))
    })
  return best
}

function iterate(task: () => void, ms: number): number {
  const started = performance.now()
  let iterations = 0
  let elapsedMs = 0
  while (elapsedMs < ms) {
    for (let index = 0; index < 20; index++) task()
    iterations += 20
    elapsedMs = performance.now() - started
  }
  return (iterations * 1_000) / elapsedMs
}

export const rounded = (value: number) => Math.round(value).toLocaleString('en-IN')
export const ratio = (ours: number, floor: number) => (ours / floor).toFixed(2)

/** What browsers send as Accept-Encoding. */
export const acceptedByBrowsers = 'gzip, deflate, br, zstd'
