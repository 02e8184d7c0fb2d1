import { useLingui } from '@lingui/react/macro'
import { chooseTheme, useTheme } from './theme.ts'
import type { IconName } from './icon.tsx'

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
