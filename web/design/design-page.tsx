import { useLanguage } from '#web/i18n/i18n.ts'
import { languageNames } from '#web/i18n/language.ts'
import { Button } from '#web/ui/button.tsx'
import { LanguageSwitch } from '#web/ui/language-switch.tsx'
import { useTheme, useThemeSwitch } from '#web/ui/theme.ts'
import { ContentStates } from './content-states.tsx'
import { ControlStates } from './control-states.tsx'
import { FieldStates } from './field-states.tsx'
import { TokenSheet } from './token-sheet.tsx'

/**
 * Every token, component and state on one page, in the language and theme chosen at the top. It is
 * in development builds only; docs/design.md says what each is for. Its own texts are English.
 */
export function DesignPage() {
  const theme = useThemeSwitch()
  const shown = useTheme()
  const language = useLanguage()
  return (
    <main id="main" className="mx-auto max-w-content space-y-12 p-4 md:p-8">
      <header className="sticky top-0 z-20 -mx-4 flex flex-wrap items-center gap-3 border-b border-line bg-surface px-4 py-2">
        <h1 className="mr-auto">Kist, all of it</h1>
        <p className="text-sm text-muted">
          {languageNames[language]}, {shown}
        </p>
        <LanguageSwitch />
        <Button size="sm" variant="secondary" icon={theme.icon} onClick={theme.toggle}>
          {theme.label}
        </Button>
      </header>
      <TokenSheet />
      <ControlStates />
      <FieldStates />
      <ContentStates />
    </main>
  )
}
