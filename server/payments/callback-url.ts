/** The one screen a payment may come back to (decision 7). */
const callbackPath = '/payments/waiting-for-payment'

const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Whether the provider may send the browser to this address: the waiting page on one of the portal's own origins.
 * The names of the local machine count as one.
 */
export function isAllowedCallback(callbackUrl: string, origins: readonly string[]): boolean {
  if (!URL.canParse(callbackUrl)) return false
  const url = new URL(callbackUrl)
  if (url.username || url.password || url.search || url.hash || url.pathname !== callbackPath) return false
  return origins.some((origin) => isSameOrigin(url, new URL(origin)))
}

function isSameOrigin(one: URL, other: URL): boolean {
  if (one.origin === other.origin) return true
  return one.protocol === other.protocol && one.port === other.port && loopbackHosts.has(one.hostname) && loopbackHosts.has(other.hostname)
}
