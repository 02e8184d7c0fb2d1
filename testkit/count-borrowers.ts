import type { Database } from '#server/database/connect.ts'

/** The number of people that the staff's list of borrowers contains: disabled accounts are not in it. */
export async function countBorrowers(database: Database): Promise<number> {
  const { count } = await database.asSystem((sql) =>
    sql
      .selectFrom('users')
      .select(({ fn }) => fn.countAll<bigint>().as('count'))
      .where('kind', '=', 'borrower')
      .where('disabled_at', 'is', null)
      .executeTakeFirstOrThrow(),
  )
  return Number(count)
}
