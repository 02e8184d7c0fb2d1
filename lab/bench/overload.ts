import { closedLoop, openLoop, percentile, type Outcome } from './load.ts'
import type { Benchmark } from './measure.ts'
import { startPinnedPortal, type PinnedPortal } from './pinned-portal.ts'

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
 * Server and database on one processor, the generator on the other: the capacity of the portal,
 * then a minute of four times that, then the time to recover.
 */
export const overloadBenchmark: Benchmark = {
  name: 'overload',
  run: async ({ quick }) => {
    const portal = await startPinnedPortal()
    try {
      await closedLoop(portal, 24, quick ? 4_000 : 10_000)
      const calmP95 = p95(await openLoop(portal, calmPerSecond, quick ? 2_000 : 5_000))
      const capacity = await capacityOf(portal, quick ? 1 : 2, quick ? 3_000 : 5_000)
      const stormMs = quick ? 15_000 : 60_000
      const storm = await openLoop(portal, capacity * factor, stormMs)
      const recoveryMs = await timeToCalm(portal, calmP95)
      return lineOf({ capacity, storm, stormMs, recoveryMs, calmP95 })
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

/**
 * Answers a second without refusals: the best of all concurrencies, because the machine's speed
 * varies.
 */
async function capacityOf(portal: PinnedPortal, rounds: number, roundMs: number): Promise<number> {
  let best = 0
  for (let round = 0; round < rounds; round += 1)
    for (const count of atOnce) best = Math.max(best, goodOf(await closedLoop(portal, count, roundMs)).length / (roundMs / 1_000))
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
 * Failed requests by status: ` (503: 12, none: 3)`.
 */
function missed(outcomes: readonly Outcome[]): string {
  const byStatus = Map.groupBy(
    outcomes.filter(({ isGood }) => !isGood),
    ({ status }) => status,
  )
  const parts = [...byStatus].map(([status, of]) => `${status === 0 ? 'none' : status}: ${of.length}`)
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`
}

function lineOf({
  capacity,
  storm,
  stormMs,
  recoveryMs,
  calmP95,
}: {
  capacity: number
  storm: readonly Outcome[]
  stormMs: number
  recoveryMs: number
  calmP95: number
}): string {
  const good = goodOf(storm)
  const critical = storm.filter(({ loadClass }) => loadClass === 'critical')
  const count = (wanted: (outcome: Outcome) => boolean) => storm.filter(wanted).length
  const refused = count(({ status, isGood }) => !isGood && (status === 503 || status === 429))
  const goodput = good.length / (stormMs / 1_000)
  const recovery = Number.isFinite(recoveryMs) ? `${(recoveryMs / 1_000).toFixed(1)} s` : `not within ${recoveryMsMax / 1_000} s`
  return [
    `overload: goodput ${((100 * goodput) / capacity).toFixed(0)} % (${goodput.toFixed(0)} of ${capacity.toFixed(0)} req/s, while ${(capacity * factor).toFixed(0)} came)`,
    `critical ${((100 * goodOf(critical).length) / critical.length).toFixed(2)} % of ${critical.length}${missed(critical)}`,
    `refused ${refused}, broken ${count(({ status }) => status === 0)}, other ${storm.length - good.length - refused - count(({ status }) => status === 0)}`,
    `p95 ${p95(storm).toFixed(0)} ms (calm ${calmP95.toFixed(0)} ms)`,
    `back to normal in ${recovery}`,
  ].join(', ')
}
