/// <reference lib="webworker" />
import { shellCachePrefix } from '#web/storage.ts'

/**
 * Keeps the shell of one build: its pages and its code, so that the portal opens without a connection. What the API answers and every
 * document goes past it. A new build brings a new worker, which fills a cache of its own and waits until the last page of the
 * old build is closed: until then that page finds all of its code here, whatever the server has by now.
 */
declare const self: ServiceWorkerGlobalScope
/** Filled in by the build (tools/shell-worker.ts): what this build consists of, and its name. */
declare const shellFiles: readonly string[]
declare const shellBuild: string

const cacheName = shellCachePrefix + shellBuild
const loginPage = '/login'
/** Every address but the login's is answered with the same page. */
const portalPage = '/active-loans'

self.addEventListener('install', (event) => event.waitUntil(fill()))

self.addEventListener('activate', (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) =>
        Promise.all(names.filter((name) => name.startsWith(shellCachePrefix) && name !== cacheName).map((name) => caches.delete(name))),
      ),
  )
})

// A page that somebody signed in to asks for it: logging out has emptied the cache.
self.addEventListener('message', (event) => {
  if (event.data === 'fill') event.waitUntil(fill().catch(() => {}))
})

self.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== self.location.origin) return
  if (pathname.startsWith('/assets/')) event.respondWith(fromCache(pathname).then((kept) => kept ?? fetch(request)))
  else if (request.mode === 'navigate' && !pathname.startsWith('/api/')) event.respondWith(page(request, pathname))
})

/** The page as the server has it now; the kept one where it cannot be reached. */
async function page(request: Request, pathname: string): Promise<Response> {
  try {
    return await fetch(request)
  } catch (error) {
    const kept = await fromCache(pathname === loginPage ? loginPage : portalPage)
    if (kept === undefined) throw error
    return kept
  }
}

const fromCache = async (path: string): Promise<Response | undefined> =>
  (await caches.has(cacheName)) ? (await caches.open(cacheName)).match(path) : undefined

/** All of it or nothing new: half a shell would open and then break. */
async function fill(): Promise<void> {
  const cache = await caches.open(cacheName)
  const kept = new Set((await cache.keys()).map(({ url }) => new URL(url).pathname))
  await cache.addAll([loginPage, portalPage, ...shellFiles].filter((path) => !kept.has(path)))
}
