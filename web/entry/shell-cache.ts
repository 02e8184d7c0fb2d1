import { isSignedIn, subscribeSession } from '#web/session/session.ts'
import { deleteShells } from './delete-shells.ts'

const workerPath = '/service-worker.js'

type TrustedTypes = { createPolicy(name: string, rules: { createScriptURL: () => string }): { createScriptURL(text: string): string } }

/**
 * Keeps the portal's shell on this device while somebody is signed in, so that it opens without a
 * connection (web/entry/service-worker.ts), and has it deleted when nobody is.
 */
export function keepShellWhileSignedIn(): void {
  if (!('serviceWorker' in navigator)) return
  let keeping: boolean | null = null
  const follow = (): void => {
    if (isSignedIn() === keeping) return
    keeping = isSignedIn()
    void messageWorkers().catch(() => {})
  }
  subscribeSession(follow)
  follow()
}

/** Tells the workers whether somebody is signed in; that can change during the registration. */
async function messageWorkers(): Promise<void> {
  const { serviceWorker } = navigator
  const registration = await (isSignedIn() ? serviceWorker.register(getWorkerUrl()) : serviceWorker.getRegistration())
  const message = isSignedIn() ? 'fill' : 'forget'
  // A worker that is being installed can fill its cache too.
  registration?.installing?.postMessage(message)
  registration?.waiting?.postMessage(message)
  registration?.active?.postMessage(message)
  // The worker of an earlier version does not know `forget`, and there may be none.
  if (message === 'forget') await deleteShells()
}

let trusted: string | undefined

/** The only script URL that our content security policy allows a page to create. */
function getWorkerUrl(): string {
  const types = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes
  trusted ??= types?.createPolicy('kist-service-worker', { createScriptURL: () => workerPath }).createScriptURL('') ?? workerPath
  return trusted
}
