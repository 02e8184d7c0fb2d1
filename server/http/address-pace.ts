/** How often one address may do something: so many at once, then so many a second. */
export type Pace = { burst: number; perSecond: number }

/** Beyond so many addresses the one that was seen longest ago is forgotten. */
const addressesMax = 50_000

/**
 * Counts in memory, with one token bucket an address, so that the database need not be asked whether an address is over its limits.
 *
 * @returns 0 where the address may go on, else after how many seconds it may.
 */
export function limitPace({ burst, perSecond }: Pace): (address: string, now: Date) => number {
  const buckets = new Map<string, { tokens: number; atMs: number }>()
  return (address, now) => {
    const nowMs = now.getTime()
    const known = buckets.get(address) ?? { tokens: burst, atMs: nowMs }
    const elapsedSeconds = Math.max(0, nowMs - known.atMs) / 1_000
    const tokens = Math.min(burst, known.tokens + elapsedSeconds * perSecond)
    const isAllowed = tokens >= 1
    // Deleted first, so that the map is in the order of use.
    buckets.delete(address)
    const [oldest] = buckets.size >= addressesMax ? buckets.keys() : []
    if (oldest !== undefined) buckets.delete(oldest)
    buckets.set(address, { tokens: isAllowed ? tokens - 1 : tokens, atMs: nowMs })
    return isAllowed ? 0 : (1 - tokens) / perSecond
  }
}
