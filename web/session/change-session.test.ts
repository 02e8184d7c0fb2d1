import { QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { readPermissions } from '#contract/auth.ts'
import { bearer, call } from '#web/api/call.ts'
import { queryClient } from '#web/api/query-client.ts'
import { changeSession } from './change-session.ts'

const fetched = vi.fn<(url: unknown, init: RequestInit) => Promise<Response>>()
const refused = vi.fn()
const initial = { ...bearer }
const permissions = async () => new Response('["loan:update"]')

/** A response that comes only with the abort of its request. */
const never = (_url: unknown, { signal }: RequestInit) =>
  new Promise<Response>((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)))

beforeEach(() => {
  vi.stubGlobal('fetch', fetched)
  vi.stubGlobal('navigator', { onLine: true })
  bearer.token = 'first'
  bearer.onRefused = refused
})
afterEach(() => {
  queryClient.clear()
  Object.assign(bearer, initial)
  vi.resetAllMocks()
  vi.unstubAllGlobals()
})

/** Starts a change that goes on until its returned function is called. */
function startChange(token: string): () => Promise<void> {
  const { promise: isAnswered, resolve: answer } = Promise.withResolvers<void>()
  const changed = changeSession(async () => {
    await isAnswered
    bearer.token = token
  })
  return () => (answer(), changed)
}

describe('reads under way', () => {
  const watch = () =>
    new QueryObserver(queryClient, { queryKey: ['read'], queryFn: ({ signal }) => call(readPermissions, {}, { signal }) }).subscribe(
      () => {},
    )

  test('are cancelled before the server ends the session', async () => {
    fetched.mockImplementation(never)
    const stop = watch()
    await vi.waitFor(() => expect(fetched).toHaveBeenCalledOnce(), 60_000)
    const isCancelled: (boolean | undefined)[] = []
    await changeSession(async () => {
      isCancelled.push(fetched.mock.calls[0]?.[1].signal?.aborted)
      bearer.token = 'second'
    })
    expect(isCancelled).toEqual([true])
    stop()
  })
  test('start again after a change that failed', async () => {
    fetched.mockImplementationOnce(never)
    const stop = watch()
    await vi.waitFor(() => expect(fetched).toHaveBeenCalledOnce(), 60_000)
    fetched.mockImplementation(permissions)
    await expect(changeSession(() => Promise.reject(new Error('the server is away')))).rejects.toThrow('the server is away')
    await vi.waitFor(() => expect(queryClient.getQueryData(['read'])).toEqual({ permissions: ['loan:update'] }), 60_000)
    stop()
  })
})

describe('a call made meanwhile', () => {
  test('waits, and is sent if the session is still the same', async () => {
    fetched.mockImplementation(permissions)
    const finish = startChange('first')
    const waiting = call(readPermissions, {})
    const ofPageThatIsGone = call(readPermissions, {}, { signal: AbortSignal.abort() })
    await finish()
    await expect(ofPageThatIsGone).rejects.toThrow('aborted')
    await waiting
    expect(fetched).toHaveBeenCalledOnce()
  })
  test('is never sent in the next session', async () => {
    const finish = startChange('second')
    const waiting = call(readPermissions, {})
    await finish()
    await expect(waiting).rejects.toThrow('The session has changed')
    expect(fetched).not.toHaveBeenCalled()
  })
  test('that was sent before it does not open the session-expired dialog', async () => {
    const { promise: response, resolve: respond } = Promise.withResolvers<Response>()
    fetched.mockReturnValue(response)
    const sent = call(readPermissions, {})
    await vi.waitFor(() => expect(fetched).toHaveBeenCalledOnce(), 60_000)
    const finish = startChange('second')
    respond(new Response('{}', { status: 401 }))
    await expect(sent).rejects.toMatchObject({ kind: 'unauthorized' })
    await finish()
    expect(refused).not.toHaveBeenCalled()
  })
})

test('two changes run one after the other', async () => {
  const steps: string[] = []
  const change = (name: string) =>
    changeSession(async () => {
      steps.push(`${name} begins`)
      await Promise.resolve()
      steps.push(`${name} ends`)
    })
  await Promise.all([change('exit'), change('logout')])
  expect(steps).toEqual(['exit begins', 'exit ends', 'logout begins', 'logout ends'])
  expect(bearer.change).toBeNull()
})
