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
