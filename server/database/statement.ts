import { hash } from 'node:crypto'
import { CompiledQuery, DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, type Compilable } from 'kysely'
import type { Sql } from './connect.ts'
import type { DB } from './schema.generated.ts'

/** What a place of a statement may be filled with. Lists are written as sub-selects, so that a statement stays one and the same. */
export type Given = Record<string, string | Date>

/** A statement that is written once, and known to the database by its name from the first time it is sent on a connection. */
export type Statement<Values extends Given, Row> = {
  /** Made of the text: the same name never stands for another statement, whoever shares the connection. */
  readonly name: string
  readonly text: string
  with(values: Values): Bound<Row>
}

/** A statement with its values, ready to be sent. */
export type Bound<Row> = {
  readonly statement: { readonly name: string; readonly text: string }
  readonly values: readonly (string | null)[]
  /** Only tells the compiler what its rows are. */
  readonly row?: Row
}

/** Stands in a statement where a value will. */
class Place {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** Writes SQL and sends none. */
const writer = new Kysely<DB>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new PostgresIntrospector(database),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

/**
 * Writes a statement, types and all, as stores write theirs.
 *
 * @param write is given a place for each value; what it does with a place besides handing it on is of no use.
 */
export function statement<Values extends Given>() {
  return <Row>(write: (sql: Kysely<DB>, given: Values) => Compilable<Row>): Statement<Values, Row> => {
    const places = new Proxy({} as Values, { get: (_target, name) => new Place(String(name)) })
    const { sql: text, parameters } = write(writer, places).compile()
    const name = `kist_${hash('sha256', text, 'hex').slice(0, 24)}`
    return {
      name,
      text,
      with: (values) => ({
        statement: { name, text },
        values: parameters.map((parameter) => textOf(parameter instanceof Place ? values[parameter.name] : parameter)),
      }),
    }
  }
}

function textOf(value: unknown): string | null {
  if (value === null) return null
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number' || typeof value === 'bigint')
    return String(value)
  throw new TypeError(`A statement cannot have ${typeof value} as a value`)
}

/** The rows of each of several statements. */
export type RowsOf<B extends readonly unknown[]> = { [Place in keyof B]: B[Place] extends Bound<infer Row> ? Row[] : never }

/** Reads within an open transaction, one after the other. */
export async function rowsOf<const B extends readonly Bound<unknown>[]>(sql: Sql, reads: B): Promise<RowsOf<B>> {
  const rows: unknown[] = []
  for (const { statement, values } of reads) rows.push((await sql.executeQuery(CompiledQuery.raw(statement.text, [...values]))).rows)
  return rows as RowsOf<B>
}
