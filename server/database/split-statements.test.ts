import { describe, expect, it } from 'vitest'
import { splitStatements } from './split-statements.ts'

describe('splitting a migration', () => {
  it('ends a statement at a semicolon, and keeps its comments', () => {
    expect(splitStatements('-- One.\ncreate table a (b int);\ndrop table c;\n-- The end.\n')).toEqual([
      '-- One.\ncreate table a (b int)',
      'drop table c',
    ])
  })
  it.each([
    ["select 'a;b', 'it''s; so'"],
    [String.raw`select E'\';'`],
    ['select 1 as "a;b"'],
    ['select 1 -- not here; nor here\n + 1'],
    ['select 1 /* not; here */ + 1'],
    ['do $$ begin perform 1; end $$'],
    ['create function f() returns text language sql as $body$ select $$a;b$$; $body$'],
  ])('sees no end within %s', (statement) => {
    expect(splitStatements(`${statement};select 2`)).toEqual([statement, 'select 2'])
  })
})
