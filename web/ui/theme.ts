import { useSyncExternalStore } from 'react'
import { storageKeys, writeStored } from '#web/storage.ts'
import { storedTheme, type Theme } from './stored-theme.ts'

const darkSystem = (): MediaQueryList => window.matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()

/** What the reader sees: the theme chosen here, else the system's. */
const shown = (): Theme => storedTheme() ?? (darkSystem().matches ? 'dark' : 'light')

export function chooseTheme(theme: Theme): void {
  writeStored(storageKeys.theme, theme)
  document.documentElement.dataset.theme = theme
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  const system = darkSystem()
  listeners.add(listener)
  system.addEventListener('change', listener)
  return () => {
    listeners.delete(listener)
    system.removeEventListener('change', listener)
  }
}

/** The theme on screen; what is drawn at build time is drawn light. */
export const useTheme = (): Theme => useSyncExternalStore(subscribe, shown, () => 'light')
