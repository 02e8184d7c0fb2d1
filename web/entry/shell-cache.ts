import { isSignedIn, subscribeSession } from '#web/session/session.ts'
import { shellCachePrefix } from '#web/storage.ts'

const workerPath = '/service-worker.js'

type TrustedTypes = { createPolicy(name: string, rules: { createScriptURL: () => string }): { createScriptURL(text: string): string } }

/**
 * Keeps the portal's shell on this device while somebody is signed in, so that it opens without a
 * connection (web/entry/service-worker.ts), and deletes it when nobody is.
 */
export function keepShellWhileSignedIn(): void {
  if (!('serviceWorker' in navigator)) return
  let keeping: boolean | null = null
  const follow = (): void => {
    if (isSignedIn() === keeping) return
    keeping = isSignedIn()
    if (keeping) void keepShell().catch(() => {})
    else void forgetShell().catch(() => {})
  }
  subscribeSession(follow)
  follow()
}

async function keepShell(): Promise<void> {
  const registration = await navigator.serviceWorker.register(getWorkerUrl())
  registration.active?.postMessage('fill')
}

async function forgetShell(): Promise<void> {
  const names = await caches.keys()
  await Promise.all(names.filter((name) => name.startsWith(shellCachePrefix)).map((name) => caches.delete(name)))
}

let trusted: string | undefined

/** The only script URL that our content security policy allows a page to create. */
function getWorkerUrl(): string {
  const types = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes
  trusted ??= types?.createPolicy('kist-service-worker', { createScriptURL: () => workerPath }).createScriptURL('') ?? workerPath
  return trusted
}
