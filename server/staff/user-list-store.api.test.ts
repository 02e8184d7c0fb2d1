import pg from 'pg'
import { expect, inject, it } from 'vitest'
import { openTestContext, type TestContext } from '#testkit/test-context.ts'
import { executeTogether } from '../database/statement.ts'
import { borrowerCount, cacheCount, getCachedCount } from './user-list-store.ts'

async function addBorrowers({ superuserUrl }: TestContext, count: number): Promise<void> {
  const client = new pg.Client({ connectionString: superuserUrl })
  await client.connect()
  await client
    .query(
      `insert into users (user_id, phone, first_name, last_name, kind, created_at)
       select gen_random_uuid(), '+91' || (8000000000 + number), 'Test', 'Person', 'borrower', now() from generate_series(1, $1::int) as number`,
      [count],
    )
    .finally(() => client.end())
}
async function count({ database }: TestContext): Promise<number> {
  const [[row]] = await database.asSystem((sql) => executeTogether(sql, [borrowerCount.with({ knownCount: getCachedCount(database) })]))
  const found = Number(row?.found)
  cacheCount(database, found)
  return found
}

it('the cached number of many borrowers is that of their own database', async () => {
  const contexts = [await openTestContext(inject('cluster')), await openTestContext(inject('cluster'))] as const
  try {
    const [first, second] = contexts
    await addBorrowers(first, 10_001)
    await addBorrowers(second, 10_003)
    expect(await count(first)).toBe(10_001)
    expect(await count(second)).toBe(10_003)
    expect(await count(first)).toBe(10_001)
  } finally {
    for (const context of contexts) await context.close()
  }
})
