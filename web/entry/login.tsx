import { I18nProvider } from '@lingui/react'
import { StrictMode } from 'react'
import { hydrateRoot, type Root } from 'react-dom/client'
import { LoginPage } from '#web/features/auth/login-page.tsx'
import { i18n, loadAreas } from '#web/i18n/i18n.ts'
import { readStored, storageKeys } from '#web/storage.ts'
import { startTelemetryAfterPaint } from '#web/telemetry/start-telemetry.ts'
import { loadAhead } from '#web/ui/background-loads.ts'
import { showStartFailure } from './start-failure.ts'
import { getRootElement, startInLanguage } from './start.ts'
import './login.css'

/** The portal loads while the person waits for the SMS. */
const loadPortal = () => import('./portal.tsx')

/**
 * Reads the stored session. Its code loads after the form is interactive, unless a token is stored.
 */
async function isSignedIn(): Promise<boolean> {
  const session = await import('#web/session/session.ts')
  session.initSession()
  return session.isSignedIn()
}

start().catch(showStartFailure)

/**
 * Hydrates the login that the server has drawn into the page; opens the portal if somebody is
 * signed in.
 */
async function start(): Promise<void> {
  await startInLanguage()
  const element = getRootElement()
  if (readStored(storageKeys.token) !== null && (await isSignedIn())) {
    element.replaceChildren()
    element.hidden = false
    await (await loadPortal()).openPortal()
    return
  }
  await loadAreas('ui', 'auth')
  // The inline script has hidden it: a stored token has expired, or a code is awaited.
  element.hidden = false
  const root = hydrateRoot(
    element,
    <StrictMode>
      <Login submittedPhone={takeSubmittedPhone(element)} onSuccess={leave} />
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
  await openPortal({ root })
}

/**
 * The phone whose form was submitted before this code was loaded: inline/phone-step.ts has kept it,
 * and shows what the form shows then. From here on React does. @returns null if there is none.
 */
function takeSubmittedPhone(root: HTMLElement): string | null {
  const { submitted = null } = root.dataset
  delete root.dataset['submitted']
  return submitted
}

function Login({ submittedPhone, onSuccess }: { submittedPhone: string | null; onSuccess: () => void }) {
  return (
    <I18nProvider i18n={i18n}>
      <LoginPage
        host={window.location.host}
        submittedPhone={submittedPhone}
        // A failure is shown when the portal is needed.
        onCodeSent={() => void loadAhead(loadPortal)}
        onSuccess={onSuccess}
      />
    </I18nProvider>
  )
}
