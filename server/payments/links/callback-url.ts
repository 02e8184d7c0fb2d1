import { isSameSite } from '../../http/site.ts'

/** The one screen a payment may come back to (decision 7). */
const callbackPath = '/payments/waiting-for-payment'

/**
 * The address to which the provider may send the browser: the waiting page on one of the portal's own origins. The names of the local
 * machine count as one. The address is parsed once, here, and what was parsed is what goes on: clients of other makers read odd
 * spellings (`\@`, `http:host`) as another host than we do.
 *
 * @returns the address in its one normal spelling; null when it is no such page.
 */
export function allowedCallback(callbackUrl: string, origins: readonly string[]): string | null {
  if (!URL.canParse(callbackUrl)) return null
  const url = new URL(callbackUrl)
  if (url.username || url.password || url.search || url.hash || url.pathname !== callbackPath) return null
  return origins.some((origin) => isSameSite(url, new URL(origin))) ? url.origin + callbackPath : null
}
