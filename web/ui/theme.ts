import { useSyncExternalStore } from 'react'
import { useLingui } from '@lingui/react/macro'
import { storageKeys, storedTheme, type Theme, writeStored } from '#web/storage.ts'
import type { IconName } from './icon.tsx'

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

/** What the theme switch says and does, for a button and for a menu entry alike. */
export function useThemeSwitch(): { label: string; icon: IconName; toggle: () => void } {
  const { t } = useLingui()
  const dark = useTheme() === 'dark'
  return {
    label: dark ? t`Light colours` : t`Dark colours`,
    icon: dark ? 'sun' : 'moon',
    toggle: () => chooseTheme(dark ? 'light' : 'dark'),
  }
}
