import pg from 'pg'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { openTestContext, type TestContext } from '#testkit/test-context.ts'
import { runBulkTransaction } from './bulk.ts'

let context: TestContext
beforeAll(async () => {
  context = await openTestContext(inject('cluster'))
})
afterAll(() => context.close())

const columns = ['product_code', 'product_version', 'terms', 'loaded_at']
const text = 'tab\t back\\slash \n line, "quotes", null, \\N, कि'
const row = (code: string) => [code, 1, JSON.stringify({ text }), '2026-11-20T05:00:00.000Z']
const products = () => context.database.asSystem((sql) => sql.selectFrom('loan_products').selectAll().orderBy('product_code').execute())

async function asSuperuser(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: context.superuserUrl })
  await client.connect()
  await client.query(statement)
  await client.end()
}

it('copies rows unchanged, and accepts no rows', async () => {
  await runBulkTransaction(context.databaseUrl, async ({ copy }) => {
    await copy('loan_products', columns, [])
    await copy('loan_products', columns, [row('a'), row('b')])
  })
  expect((await products()).map(({ product_code, terms }) => [product_code, terms])).toEqual([
    ['a', { text }],
    ['b', { text }],
  ])
})
it('rolls everything back when one row is refused', async () => {
  const work = runBulkTransaction(context.databaseUrl, async ({ copy }) => {
    await copy('loan_products', columns, [row('c')])
    await copy('loan_products', columns, [row('d'), row('a')])
  })
  await expect(work).rejects.toThrow('duplicate key')
  expect(await products()).toHaveLength(2)
})
it('rejects a statement that is refused before any row is sent', async () => {
  const work = runBulkTransaction(context.databaseUrl, ({ copy }) => copy('loan_products', ['no_such_column'], [['c']]))
  await expect(work).rejects.toThrow('no_such_column')
})
it('adds the same rows to a table with row-level security', async () => {
  await asSuperuser(
    "alter table loan_products enable row level security; create policy guarded on loan_products using (current_setting('app.system', true) = 'on')",
  )
  await runBulkTransaction(context.databaseUrl, ({ copy }) => copy('loan_products', columns, [row('e')]))
  expect((await products()).at(-1)).toMatchObject({
    product_code: 'e',
    product_version: 1,
    terms: { text },
    loaded_at: new Date('2026-11-20T05:00:00Z'),
  })
})
it('adds lists, bytes, amounts and nulls to such a table like elsewhere', async () => {
  const user = (id: string) => [
    id,
    `+9190000001${id.slice(-2)}`,
    null,
    true,
    'A',
    'B',
    'staff',
    '{}',
    '{user:assume}',
    '2026-11-20T05:00:00.000Z',
  ]
  const userColumns = [
    'user_id',
    'phone',
    'email',
    'email_verified',
    'first_name',
    'last_name',
    'kind',
    'roles',
    'permissions',
    'created_at',
  ]
  await runBulkTransaction(context.databaseUrl, ({ copy }) => copy('users', userColumns, [user('00000000-0000-7000-8000-000000000001')]))
  await asSuperuser(
    "alter table users enable row level security; create policy guarded on users using (current_setting('app.system', true) = 'on')",
  )
  await runBulkTransaction(context.databaseUrl, ({ copy }) => copy('users', userColumns, [user('00000000-0000-7000-8000-000000000002')]))
  const [one, other] = await context.database.asSystem((sql) =>
    sql.selectFrom('users').select(['email', 'email_verified', 'roles', 'permissions', 'created_at']).execute(),
  )
  expect(one).toEqual(other)
  expect(one).toMatchObject({ email: null, permissions: ['user:assume'], roles: [] })
})
