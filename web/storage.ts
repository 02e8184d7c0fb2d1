/**
 * The browser's storage, or memory where the browser forbids it (private windows, embedded web views):
 * then everything works until the page is closed.
 */
type Area = 'localStorage' | 'sessionStorage'

const memory = new Map<string, string>()

export function readStored(key: string, area: Area = 'localStorage'): string | null {
  try {
    return globalThis[area].getItem(key) ?? memory.get(key) ?? null
  } catch {
    return memory.get(key) ?? null
  }
}

/** Stores a value, or removes it with null. */
export function writeStored(key: string, value: string | null, area: Area = 'localStorage'): void {
  memory.delete(key)
  try {
    if (value === null) globalThis[area].removeItem(key)
    else globalThis[area].setItem(key, value)
  } catch {
    if (value !== null) memory.set(key, value)
  }
}

/** Every key this app keeps, in one place, so that nothing is left behind unseen. */
export const storageKeys = {
  token: 'token',
  tokenReceivedAt: 'tokenReceivedAt',
  userData: 'userData',
  shownLead: 'shownLead',
  actor: 'actor',
  language: 'language',
  theme: 'theme',
  returnTo: 'returnTo',
  reloadedAt: 'reloadedAt',
} as const

/** The end of a token tells one session from another, and opens nothing. */
const sessionMark = (token: string): string => token.slice(-12)

/** Keeps which loan a session saw last, so that its next page may ask for the schedule at once. */
export function rememberShownLead(lead: string | null): void {
  const token = readStored(storageKeys.token)
  writeStored(storageKeys.shownLead, lead === null || token === null ? null : `${sessionMark(token)} ${lead}`)
}

/** The loan that this session saw last; null when another session did. */
export function shownLeadOf(token: string): string | null {
  const mark = `${sessionMark(token)} `
  const kept = readStored(storageKeys.shownLead)
  return kept?.startsWith(mark) ? kept.slice(mark.length) : null
}

export type Theme = 'light' | 'dark'

/** The theme chosen on this device; null where the system decides. */
export function storedTheme(): Theme | null {
  const value = readStored(storageKeys.theme)
  return value === 'light' || value === 'dark' ? value : null
}

/** Puts a chosen theme on the page; without a choice the stylesheet follows the system by itself. */
export function applyStoredTheme(): void {
  const theme = storedTheme()
  if (theme !== null) document.documentElement.dataset.theme = theme
}

/** Begins the name of every cache of the shell; the build's own name follows. */
export const shellCachePrefix = 'kist-shell-'
