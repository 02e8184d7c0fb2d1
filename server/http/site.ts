const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Whether two addresses have the same origin; the names of the local machine count as one (decision
 * 7).
 */
export function isSameSite(one: URL, other: URL): boolean {
  if (one.origin === other.origin) return true
  return one.protocol === other.protocol && one.port === other.port && loopbackHosts.has(one.hostname) && loopbackHosts.has(other.hostname)
}

/**
 * The configured origin of a request, as its Host header writes it; the first origin if Host
 * matches none.
 */
export function findSite(origins: readonly string[], host: string | undefined): string {
  for (const origin of origins) {
    const requested = `${new URL(origin).protocol}//${host ?? ''}`
    if (URL.canParse(requested) && isSameSite(new URL(requested), new URL(origin))) return new URL(requested).origin
  }
  return origins[0] ?? ''
}
