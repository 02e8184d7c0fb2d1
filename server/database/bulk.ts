import { pipeline } from 'node:stream/promises'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { from } from 'pg-copy-streams'
import { columnTypes, withinTransaction, type Sql } from './connect.ts'
import type { DB } from './schema.generated.ts'

/**
 * A value of a row to copy. Bytes, dates and lists are in PostgreSQL's text format; null is NULL.
 */
export type CopyValue = string | number | bigint | boolean | null

export type BulkTransaction = {
  sql: Sql
  /** Adds rows to a table by COPY, about ten times faster than single inserts. */
  copy(table: keyof DB & string, columns: readonly string[], rows: Rows): Promise<void>
}

/**
 * Runs `work` in one transaction on its own connection, without the time limits of a request, to
 * load a loan book. Rolled back if `work` throws.
 */
export async function runBulkTransaction<T>(url: string, work: (transaction: BulkTransaction) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, types: columnTypes })
  client.on('error', () => {})
  await client.connect()
  // COPY goes past Kysely, so nothing may wait to be sent, and no two statements run at once.
  let last: Promise<unknown> = Promise.resolve()
  const query = (text: string, values: unknown[]) => {
    const result = last.then(() => client.query(text, values))
    last = result.catch(() => {})
    return result
  }
  const pool = { connect: () => Promise.resolve({ query, release: () => {} }), end: () => client.end() }
  const kysely = new Kysely<DB>({ dialect: new PostgresDialect({ pool: pool as unknown as pg.Pool }) })
  try {
    return await kysely
      .transaction()
      .execute((transaction) =>
        withinTransaction(transaction).asSystem((sql) =>
          work({ sql, copy: (table, columns, rows) => copyIn(client, table, columns, rows) }),
        ),
      )
  } finally {
    await kysely.destroy()
  }
}

type Rows = readonly (readonly CopyValue[])[]

async function copyIn(client: pg.Client, table: string, columns: readonly string[], rows: Rows): Promise<void> {
  if (rows.length === 0) return
  const target = client.escapeIdentifier(table)
  const names = columns.map((column) => client.escapeIdentifier(column)).join(', ')
  // PostgreSQL refuses COPY into a table with row-level security for this login.
  if (await hasRowSecurity(client, target)) await insertFromJson(client, target, columns, rows)
  else await pipeline([Buffer.from(encode(rows))], client.query(from(`copy ${target} (${names}) from stdin`)))
}

async function hasRowSecurity(client: pg.Client, target: string): Promise<boolean> {
  const { rows } = await client.query<{ active: boolean }>('select row_security_active($1::regclass) as active', [target])
  return rows[0]?.active === true
}

/** Sends every value as text, which PostgreSQL parses as it does in COPY. */
async function insertFromJson(client: pg.Client, target: string, columns: readonly string[], rows: Rows): Promise<void> {
  const { rows: known } = await client.query<{ name: string; type: string }>(
    'select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute where attrelid = $1::regclass and attnum > 0',
    [target],
  )
  const types = new Map(known.map(({ name, type }) => [name, type]))
  const names = columns.map((column) => client.escapeIdentifier(column)).join(', ')
  const values = columns.map((column, index) => `(given ->> ${index})::${types.get(column) ?? 'text'}`).join(', ')
  const text = JSON.stringify(rows.map((row) => row.map((value) => (value === null ? null : String(value)))))
  await client.query(`insert into ${target} (${names}) select ${values} from json_array_elements($1::json) as given`, [text])
}

function encode(rows: Rows): string {
  let text = ''
  for (const row of rows) {
    let separator = ''
    for (const value of row) {
      text += separator + encodeValue(value)
      separator = '\t'
    }
    text += '\n'
  }
  return text
}

const special = /[\\\t\n\r]/g
const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

function encodeValue(value: CopyValue): string {
  if (value === null) return '\\N'
  return typeof value === 'string' ? value.replace(special, (character) => escapes[character] ?? '') : String(value)
}
