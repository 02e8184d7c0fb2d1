import { I18nProvider } from '@lingui/react'
import { StrictMode, useEffect } from 'react'
import { hydrateRoot, type Root } from 'react-dom/client'
import { LoginPage } from '#web/features/auth/login-page.tsx'
import { i18n, loadAreas } from '#web/i18n/i18n.ts'
import { rootElement, showStartFailure, startInLanguage } from './start.ts'
import { paths } from '#web/app/paths.ts'
import { takeReturn } from '#web/app/return-to.ts'
import { readStored, storageKeys } from '#web/storage.ts'
import { startTelemetryAfterPaint } from '#web/telemetry/start-telemetry.ts'
import './login.css'

/** The portal behind the login: its code comes while the code from the SMS is being waited for. */
const loadPortal = () => import('./portal.tsx')

/** Reads the session that is stored. Its code comes after the form answers, unless a token is there. */
async function isSignedIn(): Promise<boolean> {
  const session = await import('#web/session/session.ts')
  session.initSession()
  return session.isSignedIn()
}

start().catch(showStartFailure)

/** Brings the login to life that was drawn into its page; opens the portal for who is signed in already. */
async function start(): Promise<void> {
  await startInLanguage()
  const element = rootElement()
  if (readStored(storageKeys.token) !== null && (await isSignedIn())) {
    element.replaceChildren()
    element.hidden = false
    await (await loadPortal()).openPortal()
    return
  }
  await loadAreas('ui', 'auth')
  // Hidden by the page where a token is stored; this one has run out.
  element.hidden = false
  const root = hydrateRoot(
    element,
    <StrictMode>
      <Login onSuccess={leave} />
    </StrictMode>,
  )
  startTelemetryAfterPaint()

  let isLeaving = false
  function leave(): void {
    if (isLeaving) return
    isLeaving = true
    window.removeEventListener('storage', leaveWhenSignedIn)
    enterPortal(root).catch(() => {
      root.unmount()
      showStartFailure()
    })
  }
  function leaveWhenSignedIn({ key }: StorageEvent): void {
    if (key !== null && key !== storageKeys.token) return
    isSignedIn().then(
      (signedIn) => signedIn && leave(),
      () => {},
    )
  }
  window.addEventListener('storage', leaveWhenSignedIn)
}

async function enterPortal(root: Root): Promise<void> {
  const { openPortal } = await loadPortal()
  await openPortal({ root, href: takeReturn() ?? paths.index })
}

function Login({ onSuccess }: { onSuccess: () => void }) {
  useEffect(() => {
    // Pressed before anything listened: the page has kept it. First the field takes over what was typed.
    if (rootElement().dataset['submitted'] === undefined) return
    const timer = setTimeout(() => document.querySelector('form')?.requestSubmit())
    return () => clearTimeout(timer)
  }, [])
  return (
    <I18nProvider i18n={i18n}>
      <LoginPage
        host={window.location.host}
        // A failure shows when the portal itself is needed.
        onCodeSent={() => void loadPortal().catch(() => {})}
        onSuccess={onSuccess}
      />
    </I18nProvider>
  )
}
