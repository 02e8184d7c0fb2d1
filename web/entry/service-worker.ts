/// <reference lib="webworker" />
import { verificationPath } from '#contract/verification-path.ts'
import { shellCachePrefix } from '#web/storage.ts'
import { deleteShells } from './delete-shells.ts'

/**
 * Caches the pages and the code of one build, so that the portal opens without a connection. API
 * responses and documents are never cached. A new build has a new worker with its own cache, which
 * waits until the last page of the old build is closed: until then that page finds all its code
 * here.
 */
declare const self: ServiceWorkerGlobalScope
/** Set by the build (tools/shell-worker.ts): the files of this build, and its name. */
declare const shellFiles: readonly string[]
declare const shellBuild: string

const cacheName = shellCachePrefix + shellBuild
const loginPage = '/login'
/** Every address but the login's and the verification's has the same page. */
const portalPage = '/active-loans'

let lastChange: Promise<unknown> = Promise.resolve()

/** One change after the other: what is being filled at a logout is deleted afterwards. */
function changeCaches(change: () => Promise<void>): Promise<void> {
  const changed = lastChange.then(change)
  lastChange = changed.catch(() => {})
  return changed
}

// An update: where nobody is signed in, nothing is kept.
self.addEventListener('install', (event) => event.waitUntil(changeCaches(renewCache)))

self.addEventListener('activate', (event) => event.waitUntil(changeCaches(() => deleteShells((name) => name !== cacheName))))

// 'fill' comes from a page of a signed-in person, because a logout has deleted the cache; 'forget'
// when nobody is signed in.
self.addEventListener('message', (event) => {
  const change = event.data === 'fill' ? fillCache : () => deleteShells()
  event.waitUntil(changeCaches(change).catch(() => {}))
})

self.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== self.location.origin) return
  if (pathname.startsWith('/assets/')) event.respondWith(readCached(pathname).then((kept) => kept ?? fetch(request)))
  else if (request.mode === 'navigate' && !pathname.startsWith('/api/') && pathname !== verificationPath)
    event.respondWith(fetchPage(request, pathname))
})

/** A connection that hangs for so long counts as none. */
const pageTimeoutMs = 8000

/** The page from the server; the cached one without a connection. */
async function fetchPage(request: Request, pathname: string): Promise<Response> {
  const fetched = fetch(request)
  const timeout = new Promise<void>((resolve) => setTimeout(resolve, pageTimeoutMs))
  const answer = await Promise.race([fetched.catch(() => {}), timeout])
  // Where nothing is cached, the server may still answer.
  return answer ?? (await readCached(pathname === loginPage ? loginPage : portalPage)) ?? fetched
}

/**
 * What is kept. A cache that cannot be read, as on a full phone, holds nothing: the network
 * answers.
 */
async function readCached(path: string): Promise<Response | undefined> {
  try {
    return (await caches.has(cacheName)) ? await (await caches.open(cacheName)).match(path) : undefined
  } catch {
    return undefined
  }
}

async function renewCache(): Promise<void> {
  const names = await caches.keys()
  if (names.some((name) => name.startsWith(shellCachePrefix))) await fillCache()
}

/** All files or no change: a partly filled cache would open a broken portal. */
async function fillCache(): Promise<void> {
  const cache = await caches.open(cacheName)
  const kept = new Set((await cache.keys()).map(({ url }) => new URL(url).pathname))
  await cache.addAll([loginPage, portalPage, ...shellFiles].filter((path) => !kept.has(path)))
}
