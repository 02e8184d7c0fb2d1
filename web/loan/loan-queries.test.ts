import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, expect, test, vi } from 'vitest'
import { loansKey, refreshLoans } from './loan-queries.ts'

const client = new QueryClient({ defaultOptions: { queries: { gcTime: 0 } } })
afterEach(() => {
  client.clear()
  vi.useRealTimers()
})

test('after a change only what shows it is waited for, and all of it is read once', async () => {
  const shown = vi.fn<() => Promise<string>>().mockResolvedValue('new')
  const stalled = vi.fn<() => Promise<string>>().mockReturnValue(new Promise(() => {}))
  const keys = [shown, stalled].map((queryFn, index) => {
    const queryKey = [...loansKey, 'KL1', index]
    client.setQueryData(queryKey, 'old')
    new QueryObserver(client, { queryKey, queryFn, staleTime: Infinity }).subscribe(() => {})
    return queryKey
  })
  await refreshLoans(client, ...keys.slice(0, 1))
  expect(keys.map((key) => client.getQueryData(key))).toEqual(['new', 'old'])
  expect([shown, stalled].map(({ mock }) => mock.calls.length)).toEqual([1, 1])
  await refreshLoans(client)
  expect(shown).toHaveBeenCalledTimes(2)
})

test('a read that hangs after a change is waited for three seconds', async () => {
  vi.useFakeTimers()
  const queryKey = [...loansKey, 'KL2']
  client.setQueryData(queryKey, 'old')
  const unsubscribe = new QueryObserver(client, { queryKey, queryFn: () => new Promise<string>(() => {}), staleTime: Infinity }).subscribe(
    () => {},
  )
  const done = vi.fn()
  void refreshLoans(client, queryKey).finally(() => done())
  await vi.advanceTimersByTimeAsync(2_999)
  expect(done).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(done).toHaveBeenCalledTimes(1)
  unsubscribe()
})
