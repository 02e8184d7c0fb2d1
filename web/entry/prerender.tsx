import { I18nProvider } from '@lingui/react'
import { renderToString } from 'react-dom/server'
import type { PortalConfig } from '#contract/portal-config.ts'
import { LoginPage } from '#web/features/auth/login-page.tsx'
import { i18n, readAreas } from '#web/i18n/i18n.ts'
import { localeOf, type Language } from '#web/i18n/language.ts'
import { setPortalConfig } from '#web/portal-config.ts'

/**
 * Renders the login's first step on the server, for hydration. The page fills in its own address.
 */
export async function drawLogin(language: Language, config: PortalConfig): Promise<string> {
  const messages = await readAreas(['ui', 'auth'], language)
  setPortalConfig(config)
  i18n.loadAndActivate({ locale: language, locales: localeOf[language], messages })
  return renderToString(
    <I18nProvider i18n={i18n}>
      <LoginPage host="" onSuccess={() => {}} />
    </I18nProvider>,
  )
}
