import { closedLoop, openLoop, percentile, type Outcome } from './load.ts'
import type { Benchmark } from './measure.ts'
import { startPinnedPortal, type PinnedPortal } from './pinned-portal.ts'
import { median } from './slow-phone.ts'

/** Load as a multiple of the capacity. */
const factor = 4
/**
 * Concurrencies at which the capacity is measured, up to the limit of load shedding; the best
 * counts.
 */
const atOnce = [8, 24, 40]
/** Requests a second of the calm phase, with which the recovery is compared. */
const calmPerSecond = 30
const recoveryMsMax = 15_000

/**
 * A capacity, the good answers a second while four times that came, and the time until requests are
 * answered as before.
 */
type Round = { capacity: number; goodput: number; storm: Outcome[]; recoveryMs: number }

/**
 * Server and database on one processor, the generator on the other: the capacity of the portal,
 * then four times that for twenty seconds, then the time to recover; three rounds, because the
 * machine's speed varies from minute to minute.
 */
export const overloadBenchmark: Benchmark = {
  name: 'overload',
  run: async ({ quick }) => {
    const portal = await startPinnedPortal()
    try {
      await closedLoop(portal, 24, quick ? 4_000 : 10_000)
      const calmP95 = p95(await openLoop(portal, calmPerSecond, quick ? 2_000 : 5_000))
      const stormMs = quick ? 15_000 : 20_000
      const rounds: Round[] = []
      for (let number = 0; number < (quick ? 1 : 3); number += 1) {
        const capacity = await capacityOf(portal, quick ? 3_000 : 4_000)
        const stormAt = performance.now()
        const storm = await openLoop(portal, capacity * factor, stormMs)
        // What is answered after the storm does not count.
        const inTime = goodOf(storm).filter(({ at }) => at <= stormAt + stormMs)
        rounds.push({ capacity, goodput: inTime.length / (stormMs / 1_000), storm, recoveryMs: await timeToCalm(portal, calmP95) })
      }
      return lineOf(rounds, calmP95)
    } finally {
      await portal.close()
    }
  },
}

const goodOf = (outcomes: readonly Outcome[]) => outcomes.filter(({ isGood }) => isGood)
const p95 = (outcomes: readonly Outcome[]) =>
  percentile(
    goodOf(outcomes).map(({ milliseconds }) => milliseconds),
    0.95,
  )

/** Answers a second without refusals: the best of all concurrencies. */
async function capacityOf(portal: PinnedPortal, eachMs: number): Promise<number> {
  let best = 0
  for (const count of atOnce) best = Math.max(best, goodOf(await closedLoop(portal, count, eachMs)).length / (eachMs / 1_000))
  return best
}

/**
 * Waits for half a second in which all requests are answered, as fast as before or within 50 ms.
 */
async function timeToCalm(portal: PinnedPortal, calmP95: number): Promise<number> {
  const startedAt = performance.now()
  for (;;) {
    const windowAt = performance.now()
    const outcomes = await openLoop(portal, calmPerSecond, 500)
    if (outcomes.every(({ isGood }) => isGood) && p95(outcomes) <= Math.max(2 * calmP95, 50)) return windowAt - startedAt
    if (windowAt - startedAt > recoveryMsMax) return Infinity
  }
}

/**
 * Failed requests by status or cause: ` (503: 12, ECONNRESET: 3)`.
 */
function missed(outcomes: readonly Outcome[]): string {
  const failed = outcomes.filter(({ isGood }) => !isGood)
  const byCause = Map.groupBy(failed, ({ status, broken }) => broken ?? status)
  const parts = [...byCause].map(([cause, of]) => `${cause}: ${of.length}`)
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`
}

function lineOf(rounds: readonly Round[], calmP95: number): string {
  const percentages = rounds.map(({ goodput, capacity }) => (100 * goodput) / capacity)
  const all = rounds.flatMap(({ storm }) => storm)
  const critical = all.filter(({ loadClass }) => loadClass === 'critical')
  const recoveryMs = Math.max(...rounds.map((round) => round.recoveryMs))
  const recovery = Number.isFinite(recoveryMs) ? `${(recoveryMs / 1_000).toFixed(1)} s` : `not within ${recoveryMsMax / 1_000} s`
  const list = (values: readonly number[]) => values.map((value) => value.toFixed(0)).join(', ')
  return [
    `overload: goodput ${median(percentages).toFixed(0)} % (${list(percentages)}: ${list(rounds.map(({ goodput }) => goodput))} of ${list(rounds.map(({ capacity }) => capacity))} req/s at ${factor} times as many)`,
    `critical ${((100 * goodOf(critical).length) / critical.length).toFixed(2)} % of ${critical.length}${missed(critical)}`,
    `of all ${all.length} not answered${missed(all)}`,
    `p95 ${p95(all).toFixed(0)} ms (calm ${calmP95.toFixed(0)} ms)`,
    `back to normal in ${recovery}`,
  ].join(', ')
}
