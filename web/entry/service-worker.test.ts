import { afterEach, beforeEach, expect, test, vi } from 'vitest'

type FetchEvent = { request: Pick<Request, 'method' | 'mode' | 'url'>; respondWith: (answer: Promise<Response>) => void }

const origin = 'https://loans.example'
let isCached = true
let isBroken = false
let onFetch: (event: FetchEvent) => void
let onMessage: (event: { data: string; waitUntil: (work: Promise<unknown>) => void }) => void
let onInstall: (event: { waitUntil: (work: Promise<unknown>) => void }) => void
let fill: () => Promise<void>
let openMs: number
let cacheNames: Set<string>

/** What the worker answers to opening a page while the network has not answered. */
function openPage(path: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  onFetch({
    request: { method: 'GET', mode: 'navigate', url: origin + path },
    respondWith: (answer) => resolve(answer.then((response) => response.text())),
  })
  return promise
}

beforeEach(async () => {
  vi.useFakeTimers()
  vi.resetModules()
  isCached = true
  isBroken = false
  fill = async () => {}
  openMs = 0
  cacheNames = new Set(['of-somebody-else'])
  const match = async (path: string) => (isCached ? new Response(`cached ${path}`) : undefined)
  vi.stubGlobal('shellFiles', [])
  vi.stubGlobal('shellBuild', 'build')
  vi.stubGlobal('caches', {
    has: async () => (isBroken ? Promise.reject(new Error('Unexpected internal error')) : isCached),
    open: async (name: string) => {
      if (openMs > 0) await new Promise((resolve) => setTimeout(resolve, openMs))
      cacheNames.add(name)
      return { match, keys: async () => [], addAll: () => fill() }
    },
    keys: async () => [...cacheNames],
    delete: async (name: string) => cacheNames.delete(name),
  })
  vi.stubGlobal('self', {
    location: { origin },
    addEventListener: (type: string, listener: typeof onFetch & typeof onMessage & typeof onInstall) => {
      if (type === 'fetch') onFetch = listener
      if (type === 'message') onMessage = listener
      if (type === 'install') onInstall = listener
    },
  })
  await import('./service-worker.ts')
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('a page comes from the server if it answers within 8 seconds', async () => {
  const network = Promise.withResolvers<Response>()
  vi.stubGlobal('fetch', () => network.promise)
  const page = openPage('/active-loans')
  await vi.advanceTimersByTimeAsync(7_999)
  network.resolve(new Response('of the server'))
  expect(await page).toBe('of the server')
})

test.each([
  ['/', 'cached /active-loans'],
  ['/active-loans/payments', 'cached /active-loans'],
  ['/login', 'cached /login'],
])('on a connection that hangs, %s is opened from the cache after 8 seconds', async (path, expected) => {
  vi.stubGlobal('fetch', () => new Promise(() => {}))
  const opened = vi.fn()
  const page = openPage(path).then(opened)
  await vi.advanceTimersByTimeAsync(7_999)
  expect(opened).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  await page
  expect(opened).toHaveBeenCalledWith(expected)
})

test('without a connection the cached page is opened at once', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
  expect(await openPage('/active-loans')).toBe('cached /active-loans')
})

test('where nothing is cached, the server may answer later, or fail', async () => {
  isCached = false
  const network = Promise.withResolvers<Response>()
  vi.stubGlobal('fetch', () => network.promise)
  const page = openPage('/active-loans')
  await vi.advanceTimersByTimeAsync(20_000)
  network.resolve(new Response('late'))
  expect(await page).toBe('late')
  const failure = new TypeError('Failed to fetch')
  vi.stubGlobal('fetch', () => Promise.reject(failure))
  await expect(openPage('/active-loans')).rejects.toBe(failure)
})

test('where the cache cannot be read, pages and code come from the server', async () => {
  isBroken = true
  vi.stubGlobal('fetch', async () => new Response('of the server'))
  const { promise, resolve } = Promise.withResolvers<Response>()
  onFetch({ request: { method: 'GET', mode: 'cors', url: `${origin}/assets/portal.js` }, respondWith: resolve })
  expect(await (await promise).text()).toBe('of the server')
  const network = Promise.withResolvers<Response>()
  vi.stubGlobal('fetch', () => network.promise)
  const slow = openPage('/active-loans')
  await vi.advanceTimersByTimeAsync(8_000)
  network.resolve(new Response('late'))
  expect(await slow).toBe('late')
})

/** Sends a message to the worker. @returns the work that it causes. */
const send = (data: string): Promise<unknown> => {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  onMessage({ data, waitUntil: resolve })
  return promise
}

test('a logout deletes the shell that was asked for before it, and no other cache', async () => {
  openMs = 1_000
  const changes = [send('fill'), send('forget')]
  await vi.advanceTimersByTimeAsync(1_000)
  await Promise.all(changes)
  expect([...cacheNames]).toEqual(['of-somebody-else'])
})

test('after a cache that could not be filled, the next change still happens', async () => {
  fill = () => Promise.reject(new TypeError('Failed to fetch'))
  await send('fill')
  await send('forget')
  fill = async () => {}
  await send('fill')
  expect([...cacheNames]).toEqual(['of-somebody-else', 'kist-shell-build'])
})

test.each([
  ['of an earlier build is renewed', ['kist-shell-before'], ['kist-shell-before', 'kist-shell-build']],
  ['that a logout deleted stays away', [], []],
])('at an update a shell %s', async (_what, before, after) => {
  cacheNames = new Set(before)
  const installed = Promise.withResolvers<unknown>()
  onInstall({ waitUntil: installed.resolve })
  await installed.promise
  expect([...cacheNames]).toEqual(after)
})
