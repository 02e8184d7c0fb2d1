/** What a suite is told. Every random choice comes from the seed, so that a failing run can be run again. */
export type TortureOptions = { seed: number; rounds: number; cases: number }

/** What a suite found. `detail` has a line for each finding. */
export type TortureResult = { line: string; failed: boolean; detail: readonly string[] }

export type TortureSuite = { name: string; run: (options: TortureOptions) => Promise<TortureResult> | TortureResult }

/** The line of a suite that loses, doubles or breaks: `name: rounds N, lost N, doubled N, broken N`. */
export function result(
  name: string,
  rounds: number,
  counts: { lost?: number; doubled?: number; broken?: number },
  detail: readonly string[] = [],
): TortureResult {
  const { lost = 0, doubled = 0, broken = 0 } = counts
  return {
    line: `${name}: rounds ${rounds}, lost ${lost}, doubled ${doubled}, broken ${broken}`,
    failed: lost + doubled + broken > 0,
    detail,
  }
}
