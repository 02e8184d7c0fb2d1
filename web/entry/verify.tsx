import { I18nProvider } from '@lingui/react'
import { StrictMode } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { VerifyPage } from '#web/features/verification/verify-page.tsx'
import { i18n, loadAreas } from '#web/i18n/i18n.ts'
import { startTelemetryAfterPaint } from '#web/telemetry/start-telemetry.ts'
import { showStartFailure } from './start-failure.ts'
import { getRootElement, startInLanguage } from './start.ts'
import './verify.css'

start().catch(showStartFailure)

/** Hydrates the page that the server has rendered. */
async function start(): Promise<void> {
  await startInLanguage()
  await loadAreas('ui', 'verification')
  hydrateRoot(
    getRootElement(),
    <StrictMode>
      <I18nProvider i18n={i18n}>
        <VerifyPage />
      </I18nProvider>
    </StrictMode>,
  )
  startTelemetryAfterPaint()
}
