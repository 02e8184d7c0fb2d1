import { paths } from './paths.ts'
import { readStored, storageKeys, writeStored } from '#web/storage.ts'

/**
 * Signing in leads to '/', with one exception: who comes back from the payment page with a session that has ended
 * must still be told what became of the payment. Only that page is ever returned to.
 */
export function rememberReturn(href: string): void {
  if (href.startsWith(`${paths.waitingForPayment}?`)) writeStored(storageKeys.returnTo, href, 'sessionStorage')
}

/** The page to return to, once. */
export function takeReturn(): string | null {
  const href = readStored(storageKeys.returnTo, 'sessionStorage')
  if (href !== null) writeStored(storageKeys.returnTo, null, 'sessionStorage')
  return href?.startsWith(`${paths.waitingForPayment}?`) ? href : null
}
