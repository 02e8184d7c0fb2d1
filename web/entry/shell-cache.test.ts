import { afterEach, expect, test, vi } from 'vitest'
import type { User } from '#contract/auth.ts'
import { shellCachePrefix } from '#web/storage.ts'

const seconds = Math.floor(Date.now() / 1000)
const token = `h.${btoa(JSON.stringify({ sub: 'u1', iat: seconds, exp: seconds + 600 }))}.s`
const user = { user_id: 'u1', metadata: { first_name: 'Ananya' } } as User

afterEach(() => vi.unstubAllGlobals())

test('a logout while the worker is being registered leaves no shell', async () => {
  const messages: string[] = []
  const becomes = (...expected: string[]) => vi.waitFor(() => expect(messages).toEqual(expected), 60_000)
  const registration = { active: { postMessage: (message: string) => messages.push(message) } }
  const registered = Promise.withResolvers<typeof registration>()
  const shells = new Set([`${shellCachePrefix}old`, 'of-somebody-else'])
  vi.stubGlobal('caches', { keys: async () => [...shells], delete: async (name: string) => shells.delete(name) })
  vi.stubGlobal('navigator', { serviceWorker: { register: () => registered.promise, getRegistration: async () => registration } })
  // The listener of the session stays.
  vi.resetModules()
  const { clearSession, startSession } = await import('#web/session/session.ts')
  const { keepShellWhileSignedIn } = await import('./shell-cache.ts')

  startSession(token, user)
  keepShellWhileSignedIn()
  clearSession()
  await becomes('forget')
  registered.resolve(registration)
  await becomes('forget', 'forget')
  startSession(token, user)
  await becomes('forget', 'forget', 'fill')
  clearSession()
  await becomes('forget', 'forget', 'fill', 'forget')
  // Also where the worker is of an earlier version.
  expect([...shells]).toEqual(['of-somebody-else'])
})
