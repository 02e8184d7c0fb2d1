import { hash } from 'node:crypto'
import {
  CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql as raw,
  type Compilable,
  type Expression,
  type SqlBool,
} from 'kysely'
import type { Sql } from './connect.ts'
import type { DB } from './schema.generated.ts'

/** The values of a statement. Lists are written as sub-selects, so that the text stays the same. */
type StatementValues = Record<string, string | Date | null>

/** A statement that is compiled once, and prepared under its name on first use of a connection. */
type Statement<Values extends StatementValues, Row> = {
  /** Derived from the text, so one name always means one statement, also on shared connections. */
  readonly name: string
  readonly text: string
  with(values: Values): Bound<Row>
}

/** A statement with its values. */
export type Bound<Row> = {
  readonly statement: { readonly name: string; readonly text: string }
  readonly values: readonly (string | null)[]
  /** Carries the row type for the compiler only. */
  readonly row?: Row
}

/** Receives every executed statement; its text has no values. */
export type OnStatement = (statement: { text: string; milliseconds: number; failed: boolean }) => void

/** Marks the position of a value in a statement. */
class Placeholder {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** Compiles SQL without a connection. */
const compiler = new Kysely<DB>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new PostgresIntrospector(database),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

/**
 * Compiles a statement with the types of its values and rows.
 *
 * @param write receives a placeholder for each value and may only pass it on.
 */
export function statement<Values extends StatementValues>() {
  return <Row>(write: (sql: Kysely<DB>, given: Values) => Compilable<Row>): Statement<Values, Row> => {
    const placeholders = new Proxy({} as Values, { get: (_target, name) => new Placeholder(String(name)) })
    const { sql: text, parameters } = write(compiler, placeholders).compile()
    const name = nameOfText(text)
    return {
      name,
      text,
      with: (values) => ({
        statement: { name, text },
        values: parameters.map((parameter) => encodeParameter(parameter instanceof Placeholder ? values[parameter.name] : parameter)),
      }),
    }
  }
}

/** The name under which a text is prepared. */
export const nameOfText = (text: string): string => `kist_${hash('sha256', text, 'hex').slice(0, 24)}`

/** A value in PostgreSQL's text format; objects are JSON. */
export function encodeParameter(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (value instanceof Date) return value.toISOString()
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`
  if (Array.isArray(value)) return `{${value.map(encodeElement).join(',')}}`
  if (typeof value === 'object') return JSON.stringify(value)
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number' || typeof value === 'bigint')
    return String(value)
  throw new TypeError(`A statement value cannot be of type ${typeof value}`)
}

function encodeElement(value: unknown): string {
  if (Array.isArray(value)) return encodeParameter(value) as string
  const text = encodeParameter(value)
  return text === null ? 'NULL' : `"${text.replaceAll('\\', String.raw`\\`).replaceAll('"', String.raw`\"`)}"`
}

/**
 * Runs a write whose result nobody needs: it is sent with the next statement of the transaction, at
 * the latest with its commit, which then reports its error.
 */
export async function executeDeferred(sql: Sql, query: Compilable | CompiledQuery): Promise<void> {
  const compiled = 'compile' in query ? query.compile() : query
  deferredValues.add(compiled.parameters)
  await sql.executeQuery(compiled)
}
/** The value lists of deferred statements: a list is all that the dialect passes on unchanged. */
const deferredValues = new WeakSet<readonly unknown[]>()

export const isDeferred = (values: readonly unknown[]): boolean => deferredValues.has(values)

/** The rows of each statement. */
export type RowsOf<Queries extends readonly unknown[]> = {
  [Index in keyof Queries]: Queries[Index] extends Compilable<infer Row> | Bound<infer Row> ? Row[] : never
}

/**
 * Runs statements in one round trip, in their order.
 *
 * @returns the rows of each statement.
 */
export function executeTogether<const Queries extends readonly (Compilable | Bound<unknown>)[]>(
  sql: Sql,
  queries: Queries,
): Promise<RowsOf<Queries>> {
  const compiled = queries.map((query) =>
    'compile' in query ? query.compile() : CompiledQuery.raw(query.statement.text, [...query.values]),
  )
  return sql.getExecutor().provideConnection(async (connection) => {
    const results = await Promise.all(compiled.map((query) => connection.executeQuery(query)))
    return results.map(({ rows }) => rows) as RowsOf<Queries>
  })
}

type Lockable<Row> = { forUpdate(): { skipLocked(): Compilable<Row> } }

/**
 * Locks rows that were found without a lock, and skips those that another transaction has locked or
 * changed meanwhile. One statement for each row, by its key: a lock over the rows of several
 * borrowers would reach several nodes, which Citus refuses (docs/scale.md). One round trip.
 *
 * @param select reads a row by its whole key, with the condition by which it was found.
 * @returns the locked rows, read under the lock.
 */
export async function lockFound<Key, Row>(sql: Sql, found: readonly Key[], select: (key: Key) => Lockable<Row>): Promise<Row[]> {
  if (found.length === 0) return []
  return (
    await executeTogether(
      sql,
      found.map((key) => select(key).forUpdate().skipLocked()),
    )
  ).flat() as Row[]
}

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
