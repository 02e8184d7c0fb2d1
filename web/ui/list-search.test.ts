import { expect, test } from 'vitest'
import { readListQuery, tidySearch, buildPageQuery, buildSearchQuery } from './list-search.ts'

test.each([
  [{}, {}],
  [
    { search: 'rao', page: '3' },
    { search: 'rao', page: 3 },
  ],
  [
    { search: ' rao ', page: 2 },
    { search: 'rao', page: 2 },
  ],
  // The router parses digits as a number.
  [{ search: 9000000001 }, { search: '9000000001' }],
  [{ search: '', page: '1' }, {}],
  [{ search: 'rao', page: '0' }, { search: 'rao' }],
  [{ page: '-2' }, {}],
  [{ page: '1.5' }, {}],
  [{ page: '1e9' }, {}],
  [{ page: 'two' }, {}],
  [{ search: 'a\u0000b\n\u202Ec' }, { search: 'abc' }],
])('%j is read as %j', (params, query) => expect(readListQuery(params)).toEqual(query))

test('a search has a hundred characters at most, and no half ones', () => {
  expect(tidySearch('x'.repeat(200))).toHaveLength(100)
  expect(tidySearch('x'.repeat(99) + '🙂').isWellFormed()).toBe(true)
})

test('another search begins at the first page', () => expect(buildSearchQuery('rao')).toEqual({ search: 'rao' }))

test('another page keeps the search', () => {
  expect(buildPageQuery({ search: 'rao', page: 2 }, 3)).toEqual({ search: 'rao', page: 3 })
  expect(buildPageQuery({ search: 'rao', page: 2 }, 1)).toEqual({ search: 'rao' })
})
