import { useLingui } from '@lingui/react'
import type { Language } from './language.ts'

/** The language on screen; the component renders again when it changes. */
export const useLanguage = (): Language => useLingui().i18n.locale as Language
