import { readStored, storageKeys } from '#web/storage.ts'

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
