import { sql as raw, type Compilable, type Expression, type Kysely, type SqlBool } from 'kysely'
import type { DB } from '../database/schema.generated.ts'
import { statement, type Bound } from '../database/statement.ts'

/** The condition that a column names a borrower whose rows are read. */
export type IsTheirs = (column: string) => Expression<SqlBool>

/**
 * A statement for the rows of one borrower, and the same for those of several. The first compares
 * with one value, because that is the call of every page.
 */
export function borrowerStatement<Row>(write: (sql: Kysely<DB>, isTheirs: IsTheirs) => Compilable<Row>) {
  const ofOne = statement<{ borrowerId: string }>()((sql, { borrowerId }) =>
    write(sql, (column) => raw<SqlBool>`${raw.ref(column)} = ${borrowerId}`),
  )
  const ofSeveral = statement<{ borrowerIds: string }>()((sql, { borrowerIds }) =>
    write(sql, (column) => raw<SqlBool>`${raw.ref(column)} = any(${borrowerIds}::uuid[])`),
  )
  return {
    ofOne,
    ofSeveral: (borrowerIds: readonly string[]): Bound<Row> => ofSeveral.with({ borrowerIds: `{${borrowerIds.join(',')}}` }),
  }
}
