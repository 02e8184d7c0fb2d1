import { isSameSite } from '../../http/site.ts'

/** The only path to which a payment may return (decision 7). */
const callbackPath = '/payments/waiting-for-payment'

/**
 * Checks that a callback URL is the waiting page on one of the portal's origins. All names of the
 * local machine are the same origin. The parsed URL is returned instead of the given text, because
 * other clients can read odd spellings (`\@`, `http:host`) as a different host.
 *
 * @returns the normalised URL; null for any other page.
 */
export function parseCallbackUrl(callbackUrl: string, origins: readonly string[]): string | null {
  if (!URL.canParse(callbackUrl)) return null
  const url = new URL(callbackUrl)
  if (url.username || url.password || url.search || url.hash || url.pathname !== callbackPath) return null
  return origins.some((origin) => isSameSite(url, new URL(origin))) ? url.origin + callbackPath : null
}
