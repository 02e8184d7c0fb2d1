import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { checkInvariants } from '#server/ledger/check-invariants.ts'
import { openTestContext, type TestContext } from '#testkit/test-context.ts'
import { seed } from './seed.ts'

let context: TestContext

beforeAll(async () => {
  context = await openTestContext(inject('cluster'), { now: new Date('2026-11-20T05:00:00Z') })
})
afterAll(() => context.close())

it('adds a book of synthetic borrowers, whose ledger holds, and later only those that are missing', async () => {
  const grow = (borrowers: number) => seed(context, borrowers)
  expect(await grow(30)).toBe('added 30 synthetic borrowers with a loan each; the book has 30')
  expect(await grow(30)).toBe('unchanged: the synthetic book has 30 borrowers')
  expect(await grow(20)).toBe('unchanged: the synthetic book has 30 borrowers')
  expect(await grow(40)).toBe('added 10 synthetic borrowers with a loan each; the book has 40')
  const loans = await context.database.asSystem((sql) => sql.selectFrom('loans').select('lan').orderBy('lan').execute())
  expect([loans.length, loans[0]?.lan, loans.at(-1)?.lan]).toEqual([40, 'SYN-00000001', 'SYN-00000040'])
  const { broken } = await checkInvariants(context.database, { now: context.clock.now() })
  expect(broken).toEqual([])
})
