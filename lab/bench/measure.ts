/** A benchmark. Returns one line. `quick` keeps it under 50 s. */
export type Benchmark = { name: string; run: (options: { quick: boolean }) => Promise<string> | string }

/**
 * Runs the works in turns, under the same conditions, and takes the best round of each.
 *
 * @returns iterations a second, in the order of the works.
 */
export function perSecond(works: readonly (() => void)[], { rounds, roundMs }: { rounds: number; roundMs: number }): number[] {
  const best = works.map(() => 0)
  for (const work of works) iterate(work, roundMs / 2)
  for (let round = 0; round < rounds; round++)
    works.forEach((work, index) => {
      best[index] = Math.max(best[index] ?? 0, iterate(work, roundMs))
    })
  return best
}

function iterate(work: () => void, ms: number): number {
  const started = performance.now()
  let iterations = 0
  let elapsedMs = 0
  while (elapsedMs < ms) {
    for (let index = 0; index < 20; index++) work()
    iterations += 20
    elapsedMs = performance.now() - started
  }
  return (iterations * 1_000) / elapsedMs
}

export const rounded = (value: number) => Math.round(value).toLocaleString('en-IN')
export const ratio = (ours: number, floor: number) => (ours / floor).toFixed(2)
