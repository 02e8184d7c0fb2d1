import { QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { readPermissions } from '#contract/auth.ts'
import { bearer, call } from '#web/api/call.ts'
import { queryClient } from '#web/api/query-client.ts'
import { endSession } from './end-session.ts'

const fetched = vi.fn<(url: unknown, init: RequestInit) => Promise<Response>>()

beforeEach(() => {
  vi.stubGlobal('fetch', fetched)
  bearer.token = 'first'
})
afterEach(() => {
  queryClient.clear()
  fetched.mockReset()
  vi.unstubAllGlobals()
})

test('cancels the reads under way before the server ends the session', async () => {
  fetched.mockImplementation(async (_url, { signal }) => {
    await new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)))
    throw new Error('unreachable')
  })
  const read = new QueryObserver(queryClient, { queryKey: ['read'], queryFn: ({ signal }) => call(readPermissions, {}, { signal }) })
  const stop = read.subscribe(() => {})
  await vi.waitFor(() => expect(fetched).toHaveBeenCalledOnce())
  const isCancelled: (boolean | undefined)[] = []
  await endSession(async () => {
    isCancelled.push(fetched.mock.calls[0]?.[1].signal?.aborted)
  })
  expect(isCancelled).toEqual([true])
  stop()
})

test('a call made meanwhile waits, and has the token that follows', async () => {
  fetched.mockImplementation(async () => new Response('["loan:update"]'))
  const { promise: isAnswered, resolve: answer } = Promise.withResolvers<void>()
  const ended = endSession(async () => {
    await isAnswered
    bearer.token = 'second'
  })
  const waiting = call(readPermissions, {})
  const ofPageThatIsGone = call(readPermissions, {}, { signal: AbortSignal.abort() })
  expect(fetched).not.toHaveBeenCalled()
  answer()
  await ended
  await expect(ofPageThatIsGone).rejects.toThrow(DOMException)
  await waiting
  expect(fetched.mock.calls.map(([, { headers }]) => headers)).toEqual([expect.objectContaining({ authorization: 'Bearer second' })])
})

test('a second press waits for the first', async () => {
  const end = vi.fn(async () => {})
  await Promise.all([endSession(end), endSession(end)])
  expect(end).toHaveBeenCalledOnce()
})
