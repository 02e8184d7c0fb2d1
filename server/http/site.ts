const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Whether two addresses are of one site: of one origin, where the names of the local machine count as one (decision 7). */
export function isSameSite(one: URL, other: URL): boolean {
  if (one.origin === other.origin) return true
  return one.protocol === other.protocol && one.port === other.port && loopbackHosts.has(one.hostname) && loopbackHosts.has(other.hostname)
}

/** The configured origin by which a request came in, as its Host header writes it; the first one where it names none of ours. */
export function siteOf(origins: readonly string[], host: string | undefined): string {
  for (const origin of origins) {
    const asked = `${new URL(origin).protocol}//${host ?? ''}`
    if (URL.canParse(asked) && isSameSite(new URL(asked), new URL(origin))) return new URL(asked).origin
  }
  return origins[0] ?? ''
}
