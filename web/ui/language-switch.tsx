import { chooseLanguage } from '#web/i18n/i18n.ts'
import { languageNames } from '#web/i18n/language.ts'
import { useLanguage } from '#web/i18n/use-language.ts'

export const toolClass =
  'inline-flex min-h-target min-w-target items-center justify-center gap-2 rounded-md px-2.5 text-sm font-medium hover:bg-sunken'

/** Offers the other language in its own words. What has been typed stays. */
export function LanguageSwitch({ className = toolClass }: { className?: string }) {
  const other = useLanguage() === 'en' ? 'hi' : 'en'
  return (
    <button type="button" lang={other} className={className} onClick={() => void chooseLanguage(other)}>
      {languageNames[other]}
    </button>
  )
}
