import { isSameSite } from '../http/site.ts'

/** The one screen a payment may come back to (decision 7). */
const callbackPath = '/payments/waiting-for-payment'

/**
 * Whether the provider may send the browser to this address: the waiting page on one of the portal's own origins.
 * The names of the local machine count as one.
 */
export function isAllowedCallback(callbackUrl: string, origins: readonly string[]): boolean {
  if (!URL.canParse(callbackUrl)) return false
  const url = new URL(callbackUrl)
  if (url.username || url.password || url.search || url.hash || url.pathname !== callbackPath) return false
  return origins.some((origin) => isSameSite(url, new URL(origin)))
}
