import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import { expect, it } from 'vitest'
import { payableStatuses } from '#domain/payment-links.ts'
import { isPayableCondition } from './open-links-store.ts'

it('the condition of a payable link in SQL names the statuses of the domain', () => {
  const compiler = new Kysely({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (database) => new PostgresIntrospector(database),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
  const { sql } = isPayableCondition.compile(compiler)
  expect([...sql.matchAll(/'(\w+)'/g)].map(([, status]) => status)).toEqual(payableStatuses)
})
