import { useLingui } from '@lingui/react/macro'
import { useSyncExternalStore } from 'react'
import { storageKeys, readStoredTheme, type Theme, writeStored } from '#web/storage.ts'
import type { IconName } from './icon.tsx'

let darkSystem: MediaQueryList | undefined
/** One query for all that ask, at each render. */
const matchDarkSystem = (): MediaQueryList => (darkSystem ??= window.matchMedia('(prefers-color-scheme: dark)'))
const listeners = new Set<() => void>()

/** The shown theme: the one chosen here, else the system's. */
const shown = (): Theme => readStoredTheme() ?? (matchDarkSystem().matches ? 'dark' : 'light')

function chooseTheme(theme: Theme): void {
  writeStored(storageKeys.theme, theme)
  document.documentElement.dataset.theme = theme
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  const system = matchDarkSystem()
  listeners.add(listener)
  system.addEventListener('change', listener)
  return () => {
    listeners.delete(listener)
    system.removeEventListener('change', listener)
  }
}

/** The shown theme; the server renders the light one. */
export const useTheme = (): Theme => useSyncExternalStore(subscribe, shown, () => 'light')

/** Icon, label and action of the theme switch, for a button and a menu entry. */
export function useThemeSwitch(): { label: string; icon: IconName; toggle: () => void } {
  const { t } = useLingui()
  const dark = useTheme() === 'dark'
  return {
    label: dark ? t`Light mode` : t`Dark mode`,
    icon: dark ? 'sun' : 'moon',
    toggle: () => chooseTheme(dark ? 'light' : 'dark'),
  }
}
