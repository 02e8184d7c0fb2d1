import { I18nProvider } from '@lingui/react'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode, useEffect } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { refreshShown } from '#web/api/query-client.ts'
import { focusHeading } from '#web/app/page-title.ts'
import { takeHrefAfterLogin } from '#web/app/return-to.ts'
import { router } from '#web/app/routes.tsx'
import { i18n, loadAreas } from '#web/i18n/i18n.ts'
import { watchActivity } from '#web/session/activity.ts'
import { followSession } from '#web/session/follow-session.ts'
import { startTelemetryAfterPaint } from '#web/telemetry/start-telemetry.ts'
import { takeOverDrawnPage } from './kept-control.ts'
import { loadWhenIdle } from '#web/ui/background-loads.ts'
import { getRootElement } from './start.ts'
import './portal.css'

/**
 * Shows the portal at the page's address. With `instead`, renders into the root of the login page,
 * and the address becomes that of the page after the login.
 */
export async function openPortal(instead?: { root: Root }): Promise<void> {
  followSession(() => void router.invalidate())
  watchActivity(refreshShown)
  if (instead) router.history.replace(takeHrefAfterLogin())
  // Waits for the first screen and the texts together, so that nothing is shown without its texts.
  await Promise.all([loadAreas('ui'), router.load()])
  if (instead) focusFirstHeading()
  const element = getRootElement()
  const repeatInPage = takeOverDrawnPage(element)
  const root = instead?.root ?? createRoot(element)
  root.render(
    <StrictMode>
      <I18nProvider i18n={i18n}>
        <RouterProvider router={router} />
        <Shown onShown={repeatInPage} />
      </I18nProvider>
    </StrictMode>,
  )
  startTelemetryAfterPaint()
  // Without it the portal works; it needs the network then.
  loadWhenIdle(async () => (await import('./shell-cache.ts')).keepShellWhileSignedIn())
}

function Shown({ onShown }: { onShown: () => void }) {
  useEffect(onShown, [onShown])
  return null
}

/** The focused element of the login is gone: the focus moves to the first heading. */
function focusFirstHeading(): void {
  const stop = router.subscribe('onRendered', () => {
    stop()
    focusHeading()
  })
}
