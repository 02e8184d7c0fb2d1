import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { User } from '#contract/auth.ts'
import { ApiError } from '#web/api/api-error.ts'
import { queryClient } from '#web/api/query-client.ts'
import { storageKeys, writeStored } from '#web/storage.ts'
import { syncQueriesWithSession } from './follow-session.ts'
import { getPermissionAnswer, mayOnlyLook, permissionsQuery, getPermissionsRetryMs } from './permissions.ts'
import { clearSession, rereadSession, startSession } from './session.ts'

const seconds = Math.floor(Date.now() / 1000)
const token = (claims: object) => `h.${btoa(JSON.stringify({ sub: 'u1', iat: seconds, exp: seconds + 600, ...claims }))}.s`
const user = { user_id: 'u1', metadata: { first_name: 'Ananya' } } as User
const known = () => queryClient.getQueryData(permissionsQuery.queryKey)
const isLoading = () => queryClient.isFetching(permissionsQuery) > 0
const answer = vi.fn<(input: unknown, init: { headers: { authorization: string } }) => Promise<Response>>()
const answers = (...permissions: string[]) => answer.mockImplementation(async () => new Response(JSON.stringify({ permissions })))

afterAll(syncQueriesWithSession())
beforeEach(() => {
  vi.stubGlobal('fetch', answer)
  answers('loan:update')
})
afterEach(() => {
  clearSession()
  answer.mockReset()
  vi.unstubAllGlobals()
})

test('start with nothing loading; a session that begins loads them, a reset clears them', async () => {
  expect([known(), isLoading()]).toEqual([undefined, false])
  let release = (): void => {}
  answer.mockImplementationOnce(() => new Promise((answered) => (release = () => answered(new Response('["loan:update"]')))))
  startSession(token({}), user)
  await vi.waitFor(() => expect(answer).toHaveBeenCalled(), 60_000)
  expect([known(), isLoading()]).toEqual([undefined, true])
  release()
  await vi.waitFor(() => expect(known()).toEqual(['loan:update']), 60_000)
  expect(isLoading()).toBe(false)
  clearSession()
  expect([known(), isLoading()]).toEqual([undefined, false])
})

test('a token-change refresh keeps them and asks nothing', async () => {
  startSession(token({}), user)
  await vi.waitFor(() => expect(known()).toBeDefined(), 60_000)
  answer.mockClear()
  writeStored(storageKeys.token, token({ sid: 'another' }))
  rereadSession()
  expect(known()).toEqual(['loan:update'])
  await new Promise(setImmediate)
  expect(answer).not.toHaveBeenCalled()
})

test('another identity’s token drops them and loads its own, by its own token', async () => {
  startSession(token({}), user)
  await vi.waitFor(() => expect(known()).toBeDefined(), 60_000)
  answers('document:read')
  const others = token({ assumed_user_id: 'b1' })
  writeStored(storageKeys.token, others)
  rereadSession()
  expect(known()).toBeUndefined()
  await vi.waitFor(() => expect(known()).toEqual(['document:read']), 60_000)
  expect(answer.mock.lastCall?.[1].headers.authorization).toBe(`Bearer ${others}`)
})

test('what the session before asked for is not taken for the answer of the next of the same person', async () => {
  answer.mockImplementationOnce(() => new Promise(() => {}))
  startSession(token({ sid: 'first' }), user)
  await vi.waitFor(() => expect(answer).toHaveBeenCalledTimes(1), 60_000)
  startSession(token({ sid: 'second' }), user)
  await vi.waitFor(() => expect(known()).toEqual(['loan:update']), 60_000)
  expect(answer).toHaveBeenCalledTimes(2)
})

test('a failure is no denial', async () => {
  answer.mockImplementation(async () => new Response('', { status: 500 }))
  startSession(token({}), user)
  const state = () => queryClient.getQueryState(permissionsQuery.queryKey)
  await vi.waitFor(() => expect(state()?.status).toBe('error'), 60_000)
  expect(known()).toBeUndefined()
  expect(getPermissionAnswer('loan:update', { data: undefined, failureCount: 0, errorUpdateCount: 1 })).toBe('unknown')
  expect(getPermissionAnswer('loan:update', { data: undefined, failureCount: 0, errorUpdateCount: 0 })).toBe('loading')
  expect(getPermissionAnswer('loan:update', { data: ['document:read'], failureCount: 0, errorUpdateCount: 0 })).toBe('denied')
  expect(getPermissionAnswer('loan:update', { data: ['loan:update'], failureCount: 0, errorUpdateCount: 3 })).toBe('allowed')
})

test('a failure is asked for again, ever more slowly, until there is an answer or only signing in helps', () => {
  const failed = new ApiError({ kind: 'server_error' })
  const waits = [1, 2, 3, 4, 5, 9].map((errorUpdateCount) => getPermissionsRetryMs({ data: undefined, error: failed, errorUpdateCount }))
  expect(waits).toEqual([2000, 4000, 8000, 16_000, 30_000, 30_000])
  expect(getPermissionsRetryMs({ data: ['loan:update'], error: failed, errorUpdateCount: 1 })).toBe(false)
  expect(getPermissionsRetryMs({ data: undefined, error: null, errorUpdateCount: 0 })).toBe(false)
  expect(getPermissionsRetryMs({ data: undefined, error: new ApiError({ kind: 'unauthorized' }), errorUpdateCount: 1 })).toBe(false)
})

test.each([
  [['document:read', 'user:assume'], true],
  [[], true],
  [['document:read', 'loan:update'], false],
  [['payment_link:update'], false],
  [undefined, false],
])('with %j staff may only look: %s', (permissions, expected) => expect(mayOnlyLook(permissions)).toBe(expected))
