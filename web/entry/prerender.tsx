import { I18nProvider } from '@lingui/react'
import type { ReactElement } from 'react'
import { renderToString } from 'react-dom/server'
import type { PortalConfig } from '#contract/portal-config.ts'
import { LoginPage } from '#web/features/auth/login-page.tsx'
import { VerifyPage } from '#web/features/verification/verify-page.tsx'
import { i18n, readAreas } from '#web/i18n/i18n.ts'
import { localeOf, type Language } from '#web/i18n/language.ts'
import { setPortalConfig } from '#web/portal-config.ts'

/** The pages that the server renders, each by the id of its element in `web/*.html`. */
const renderedPages: Readonly<Record<string, { areas: readonly string[]; content: ReactElement }>> = {
  // The login's first step; the page fills in its own address.
  login: { areas: ['ui', 'auth'], content: <LoginPage host="" onSuccess={() => {}} /> },
  verify: { areas: ['ui', 'verification'], content: <VerifyPage /> },
}

/** Renders a page on the server, for hydration. */
export async function drawPage(name: string, language: Language, config: PortalConfig): Promise<string> {
  const page = renderedPages[name]
  if (page === undefined) throw new Error(`No page is called ${name}`)
  const messages = await readAreas(page.areas, language)
  setPortalConfig(config)
  i18n.loadAndActivate({ locale: language, locales: localeOf[language], messages })
  return renderToString(<I18nProvider i18n={i18n}>{page.content}</I18nProvider>)
}
