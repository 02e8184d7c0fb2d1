import { readStored, storageKeys, writeStored } from '#web/storage.ts'
import { getIdentity } from '#web/session/claims.ts'
import { getLastIdentity, getSession } from '#web/session/session.ts'
import { getSection, isLoanPath, paths } from './paths.ts'

/** Who sees a page: the identity of the session, or anybody who signs in. */
type Owner = string | 'anybody'

/**
 * Signing in leads to '/', with two exceptions. Who is asked to sign in again returns to the page;
 * `identity` makes sure that nobody else does.
 */
export function rememberReturn(href: string, identity: string | null): void {
  if (identity !== null && isReturnable(href)) remember(identity, href)
}

/**
 * Who returns from the payment page with an expired session must still see the result of the
 * payment; anybody, where no token is left that tells whose it was.
 */
export function rememberWaitingPage(href: string): void {
  if (isWaitingPage(href)) remember(getLastIdentity() ?? 'anybody', href)
}

const remember = (owner: Owner, href: string): void => writeStored(storageKeys.returnTo, `${owner}\n${href}`, 'sessionStorage')

/** Where the person who has just signed in goes. It is forgotten. */
export const takeHrefAfterLogin = (): string => takeReturn(getIdentity(getSession().claims)) ?? paths.index

/**
 * The address to return to for a person who has signed in, null for '/'. It is forgotten: the
 * second call returns null.
 */
export function takeReturn(identity: string | null = null): string | null {
  const stored = readStored(storageKeys.returnTo, 'sessionStorage')
  if (stored === null) return null
  writeStored(storageKeys.returnTo, null, 'sessionStorage')
  const [owner, href = ''] = stored.split('\n')
  return (owner === 'anybody' || owner === identity) && isReturnable(href) ? href : null
}

const isWaitingPage = (href: string): boolean => href.startsWith(`${paths.waitingForPayment}?`)

/** Only pages of ours that a person opens: no other origin, and nothing that acts by itself. */
function isReturnable(href: string): boolean {
  if (isWaitingPage(href)) return true
  const [path = ''] = href.split(/[?#]/)
  return isLoanPath(path) || path === `/${getSection(path)}`
}
