import { readStored, storageKeys, writeStored } from '#web/storage.ts'
import { paths } from './paths.ts'

/**
 * Signing in leads to '/', with one exception: who returns from the payment page with an expired
 * session must still see the result of the payment. Only that page is remembered.
 */
export function rememberReturn(href: string): void {
  if (href.startsWith(`${paths.waitingForPayment}?`)) writeStored(storageKeys.returnTo, href, 'sessionStorage')
}

/** The address to return to; the second call returns null. */
export function takeReturn(): string | null {
  const href = readStored(storageKeys.returnTo, 'sessionStorage')
  if (href !== null) writeStored(storageKeys.returnTo, null, 'sessionStorage')
  return href?.startsWith(`${paths.waitingForPayment}?`) ? href : null
}
