import { failureKindOf, type FailureKind } from '#web/api/api-error.ts'

/** How something that is loaded stands (spec §4 'Generic load states'). */
export type LoadState = 'idle' | 'loading' | 'success' | 'empty' | FailureKind

/** What is known of a load: what came last, why it failed last, whether it is asked for at this moment. */
export type Load<Data> = { data: Data | undefined; error: unknown; isFetching: boolean }

/** What came stays in view while it is asked for again, and when that fails. A failure that is asked for again is being retried. */
export function loadState<Data>(
  { data, error, isFetching }: Load<Data>,
  isEmpty: (data: Data) => boolean,
): { state: LoadState; isRetrying: boolean } {
  if (data !== undefined) return { state: isEmpty(data) ? 'empty' : 'success', isRetrying: false }
  if (error !== null && error !== undefined) return { state: failureKindOf(error), isRetrying: isFetching }
  return { state: isFetching ? 'loading' : 'idle', isRetrying: false }
}
