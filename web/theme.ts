import { useSyncExternalStore } from 'react'
import { readStored, storageKeys, writeStored } from './storage.ts'

export type Theme = 'light' | 'dark'

const darkSystem = window.matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()

const stored = (): Theme | null => {
  const value = readStored(storageKeys.theme)
  return value === 'light' || value === 'dark' ? value : null
}

/** What the reader sees: the theme chosen here, else the system's. */
const shown = (): Theme => stored() ?? (darkSystem.matches ? 'dark' : 'light')

/** Puts a chosen theme on the page; without a choice the stylesheet follows the system by itself. */
export function applyStoredTheme(): void {
  const theme = stored()
  if (theme !== null) document.documentElement.dataset.theme = theme
}

export function chooseTheme(theme: Theme): void {
  writeStored(storageKeys.theme, theme)
  document.documentElement.dataset.theme = theme
  for (const listener of listeners) listener()
}

export const useTheme = (): Theme =>
  useSyncExternalStore((listener) => {
    listeners.add(listener)
    darkSystem.addEventListener('change', listener)
    return () => {
      listeners.delete(listener)
      darkSystem.removeEventListener('change', listener)
    }
  }, shown)
