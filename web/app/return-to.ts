import { readStored, storageKeys, writeStored } from '#web/storage.ts'
import { getIdentity, isStaffAlone } from '#web/session/claims.ts'
import { getLastIdentity, getSession } from '#web/session/session.ts'
import { findDrawnPage, getSection, isLoanPath, isStaffPage, paths } from './paths.ts'

/** Who sees a page: the identity of the session, or anybody who signs in. */
type Owner = string | 'anybody'

/**
 * Signing in leads to '/' or the list of borrowers, with three exceptions. Who is asked to sign in
 * again returns to the page; `identity` makes sure that nobody else does.
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

/**
 * Staff often open a link to a proposal without a session: the address alone opens nothing. A page
 * that was shown when another tab signed out is not remembered: the next person is another one.
 */
export function rememberStaffPage(href: string, { isOpened }: { isOpened: boolean }): void {
  const owner = getLastIdentity() ?? (isOpened ? 'anybody' : null)
  if (owner !== null && isStaffHref(href)) remember(owner, href)
}

const remember = (owner: Owner, href: string): void =>
  writeStored(storageKeys.returnTo, `${owner}\n${withoutSearch(href)}`, 'sessionStorage')

/** The words of a search may be a phone or a PAN, which are kept in memory alone. */
const withoutSearch = (href: string): string => (/[?&]search=/.test(href) ? getPath(href) : href)

/** Where the person who has just signed in goes. It is forgotten. */
export function takeHrefAfterLogin(otherwise: string = paths.index): string {
  const { claims } = getSession()
  return takeReturn(getIdentity(claims), isStaffAlone(claims)) ?? otherwise
}

/**
 * The address to return to for a person who has signed in, null if there is none. It is forgotten:
 * the second call returns null. `isStaff`: without an assumed borrower, who alone has other pages.
 */
export function takeReturn(identity: string | null = null, isStaff = false): string | null {
  const stored = readStored(storageKeys.returnTo, 'sessionStorage')
  if (stored === null) return null
  writeStored(storageKeys.returnTo, null, 'sessionStorage')
  const [owner, href = ''] = stored.split('\n')
  return (owner === 'anybody' || owner === identity) && isReturnable(href) && isStaffHref(href) === isStaff ? href : null
}

const getPath = (href: string): string => href.split(/[?#]/)[0] ?? ''

function isStaffHref(href: string): boolean {
  const page = findDrawnPage(getPath(href))
  return page !== null && isStaffPage(page)
}

const isWaitingPage = (href: string): boolean => href.startsWith(`${paths.waitingForPayment}?`)

/** Only pages of ours that a person opens: no other origin, and nothing that acts by itself. */
function isReturnable(href: string): boolean {
  if (isWaitingPage(href) || isStaffHref(href)) return true
  const path = getPath(href)
  return isLoanPath(path) || path === `/${getSection(path)}`
}
