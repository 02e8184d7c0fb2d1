/**
 * The browser's storage; memory if the browser forbids it (private windows, embedded web views).
 * Then everything works until the page is closed.
 */
type Area = 'localStorage' | 'sessionStorage'

const memory = new Map<string, string>()

export function readStored(key: string, area: Area = 'localStorage'): string | null {
  try {
    // A value that could not be stored is newer than the stored one.
    return memory.get(key) ?? globalThis[area].getItem(key)
  } catch {
    return null
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

/** Every storage key of this app. */
export const storageKeys = {
  token: 'token',
  tokenReceivedAt: 'tokenReceivedAt',
  userData: 'userData',
  shownLead: 'shownLead',
  actor: 'actor',
  language: 'language',
  theme: 'theme',
  returnTo: 'returnTo',
  sentCode: 'sentCode',
  typed: 'typed',
  reloadedAt: 'reloadedAt',
} as const

/** Removes what is stored about the code that was sent (features/auth/sent-code.ts). */
export const forgetSentCode = (): void => writeStored(storageKeys.sentCode, null, 'sessionStorage')

/** What is typed in the open dialog (session/typed-entry.ts) is wanted no more. */
export const forgetTyped = (): void => writeStored(storageKeys.typed, null, 'sessionStorage')

/** When the token arrived, by this device's clock; null if that is not known. */
export function readTokenReceivedAtMs(): number | null {
  const receivedAtMs = Number(readStored(storageKeys.tokenReceivedAt) ?? Number.NaN)
  return Number.isFinite(receivedAtMs) ? receivedAtMs : null
}

/** The end of a token identifies a session without giving access. */
const markSession = (token: string): string => token.slice(-12)

/** Stores which loan a session saw last, so that its next page can request the schedule at once. */
export function rememberShownLead(lead: string | null): void {
  const token = readStored(storageKeys.token)
  writeStored(storageKeys.shownLead, lead === null || token === null ? null : `${markSession(token)} ${lead}`)
}

/** The loan that this session saw last; null if another session did. */
export function readShownLead(token: string): string | null {
  const mark = `${markSession(token)} `
  const kept = readStored(storageKeys.shownLead)
  return kept?.startsWith(mark) ? kept.slice(mark.length) : null
}

export type Theme = 'light' | 'dark'

/** The theme chosen on this device; null for the system's. */
export function readStoredTheme(): Theme | null {
  const value = readStored(storageKeys.theme)
  return value === 'light' || value === 'dark' ? value : null
}

/** Applies a chosen theme to the page; without one the stylesheet follows the system. */
export function applyStoredTheme(): void {
  const theme = readStoredTheme()
  if (theme !== null) document.documentElement.dataset.theme = theme
}

/** The first part of every shell cache's name; the build's name follows. */
export const shellCachePrefix = 'kist-shell-'
