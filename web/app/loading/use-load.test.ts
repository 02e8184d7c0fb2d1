import { describe, expect, it } from 'vitest'
import { ApiError, mapStatusToFailureKind } from '#web/api/api-error.ts'
import { type Load, getLoadState, type LoadState } from './use-load.ts'

const isEmpty = (list: readonly number[]): boolean => list.length === 0
const load = (known: Partial<Load<number[]>>) => getLoadState({ data: undefined, error: null, isFetching: false, ...known }, isEmpty)
const refused = (status: number) => new ApiError({ kind: mapStatusToFailureKind(status), status })
const offline = new ApiError({ kind: 'network_error', network: 'offline' })

describe('what is loaded', () => {
  it.each<[what: string, known: Partial<Load<number[]>>, state: LoadState]>([
    ['not asked for', {}, 'idle'],
    ['on its way', { isFetching: true }, 'loading'],
    ['there', { data: [1] }, 'success'],
    ['there and without anything in it', { data: [] }, 'empty'],
    ['refused for the token', { error: refused(401) }, 'unauthorized'],
    ['refused for the permission', { error: refused(403) }, 'forbidden'],
    ['refused for the question', { error: refused(404) }, 'bad_request'],
    ['refused for too many', { error: refused(429) }, 'bad_request'],
    ['not answered well', { error: refused(500) }, 'server_error'],
    ['broken in our own code', { error: new TypeError('x') }, 'server_error'],
    ['not answered at all', { error: offline }, 'network_error'],
  ])('%s', (_what, known, state) => {
    expect(load(known)).toEqual({ state, isRetrying: false })
  })

  it.each([401, 403, 404, 500])('a retry after %i keeps its panel and sets isRetrying', (status) => {
    expect(load({ error: refused(status), isFetching: true })).toEqual({ state: mapStatusToFailureKind(status), isRetrying: true })
  })

  it('what came stays while it is asked for again, and when that fails', () => {
    expect(load({ data: [1], isFetching: true })).toEqual({ state: 'success', isRetrying: false })
    expect(load({ data: [1], error: offline })).toEqual({ state: 'success', isRetrying: false })
    expect(load({ data: [], error: offline, isFetching: true })).toEqual({ state: 'empty', isRetrying: false })
  })
})
