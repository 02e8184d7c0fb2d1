import { onlineManager, QueryObserver, type QueryObserverOptions } from '@tanstack/react-query'
import { afterEach, expect, test, vi } from 'vitest'
import { hourMs } from '#domain/durations.ts'
import { loggedRead, queryClient, refreshShown } from './query-client.ts'

afterEach(() => {
  queryClient.clear()
  vi.useRealTimers()
})

/** Shows a query and returns its reads; the first ends as `first`. */
function show(name: string, first: Promise<string>, options: Partial<QueryObserverOptions> = {}) {
  const read = vi.fn<() => Promise<string>>().mockReturnValueOnce(first).mockResolvedValue('again')
  new QueryObserver(queryClient, { queryKey: [name], queryFn: read, retry: false, staleTime: 0, ...options }).subscribe(() => {})
  return read
}

test('who comes back, or whose connection does, reads all again but what is logged, unless it is missing', async () => {
  vi.useFakeTimers()
  const shown = show('shown', Promise.resolve('first'))
  const logged = show('logged', Promise.resolve('first'), loggedRead)
  const failed = show('failed', Promise.reject(new Error('lost')), loggedRead)
  const counts = () => [shown, logged, failed].map(({ mock }) => mock.calls.length)
  queryClient.mount()
  await vi.advanceTimersByTimeAsync(hourMs)
  onlineManager.setOnline(false)
  onlineManager.setOnline(true)
  await vi.advanceTimersByTimeAsync(hourMs)
  expect(counts()).toEqual([2, 1, 2])
  refreshShown()
  await vi.advanceTimersByTimeAsync(hourMs)
  expect(counts()).toEqual([3, 1, 2])
  queryClient.unmount()
})
