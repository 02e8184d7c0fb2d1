import type { Database } from '#server/database/connect.ts'

/** The number of people in the list of borrowers, which leaves out disabled accounts. */
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
