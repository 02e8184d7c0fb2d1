/** A token bucket: `burst` requests at once, then `perSecond`. */
export type RateLimit = { burst: number; perSecond: number }

/** The limiter forgets the least recently used key beyond this number. */
const keysMax = 50_000

/**
 * Limits a rate for each key, such as an address, in memory: what is over its limit costs no
 * database query.
 *
 * @returns 0 if the key may go on, else the seconds until it may. `taken`: the tokens it takes if
 * it may; 0 only asks.
 */
export function limitRate({ burst, perSecond }: RateLimit): (key: string, now: Date, taken?: 0 | 1) => number {
  const buckets = new Map<string, { tokens: number; atMs: number }>()
  return (key, now, taken = 1) => {
    const nowMs = now.getTime()
    const known = buckets.get(key) ?? { tokens: burst, atMs: nowMs }
    const elapsedSeconds = Math.max(0, nowMs - known.atMs) / 1_000
    const tokens = Math.min(burst, known.tokens + elapsedSeconds * perSecond)
    const isAllowed = tokens >= 1
    // Deletes the key first, so that the map keeps the order of use.
    buckets.delete(key)
    const [oldest] = buckets.size >= keysMax ? buckets.keys() : []
    if (oldest !== undefined) buckets.delete(oldest)
    buckets.set(key, { tokens: isAllowed ? tokens - taken : tokens, atMs: nowMs })
    return isAllowed ? 0 : (1 - tokens) / perSecond
  }
}
