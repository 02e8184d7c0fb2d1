import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { columnTypes, inside, type Sql } from './connect.ts'
import type { DB } from './schema.generated.ts'

/** A value of a row to be copied in. Bytes, dates and lists are given as PostgreSQL writes them; null is NULL. */
export type CopyValue = string | number | bigint | boolean | null

export type BulkTransaction = {
  sql: Sql
  /** Adds rows to a table by COPY, some ten times faster than one by one. Resolves when they are in. */
  copy(table: keyof DB & string, columns: readonly string[], rows: Rows): Promise<void>
}

/**
 * Runs `work` in one transaction on a connection of its own, without the time limits of a request: for loading a book.
 * Rolled back when `work` throws.
 */
export async function inBulk<T>(url: string, work: (transaction: BulkTransaction) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, types: columnTypes })
  client.on('error', () => {})
  await client.connect()
  const pool = { connect: () => Promise.resolve({ query: client.query.bind(client), release: () => {} }), end: () => client.end() }
  const kysely = new Kysely<DB>({ dialect: new PostgresDialect({ pool: pool as unknown as pg.Pool }) })
  try {
    return await kysely
      .transaction()
      .execute((transaction) =>
        inside(transaction).asSystem((sql) => work({ sql, copy: (table, columns, rows) => copyIn(client, table, columns, rows) })),
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
  // PostgreSQL has no COPY into a table whose rows a policy guards from this login.
  if (await isGuarded(client, target)) await insertFromJson(client, target, columns, rows)
  else await sendCopy(client, `copy ${target} (${names}) from stdin`, Buffer.from(encode(rows)))
}

async function isGuarded(client: pg.Client, target: string): Promise<boolean> {
  const { rows } = await client.query<{ guarded: boolean }>('select row_security_active($1::regclass) as guarded', [target])
  return rows[0]?.guarded === true
}

/** Every value goes as text, which PostgreSQL reads as it reads it in COPY. */
async function insertFromJson(client: pg.Client, target: string, columns: readonly string[], rows: Rows): Promise<void> {
  const { rows: known } = await client.query<{ name: string; type: string }>(
    'select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute where attrelid = $1::regclass and attnum > 0',
    [target],
  )
  const types = new Map(known.map(({ name, type }) => [name, type]))
  const names = columns.map((column) => client.escapeIdentifier(column)).join(', ')
  const values = columns.map((column, place) => `(given ->> ${place})::${types.get(column) ?? 'text'}`).join(', ')
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

/** What the driver's connection can do beside what its types tell. */
type CopyConnection = { query(text: string): void; sendCopyFromChunk(chunk: Buffer): void; endCopyFrom(): void }

/** The driver has COPY in its protocol but no query of that kind; this is one. */
function sendCopy(client: pg.Client, statement: string, data: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const query = {
      callback: () => {},
      submit: (connection: unknown) => (connection as CopyConnection).query(statement),
      handleCopyInResponse(connection: CopyConnection) {
        connection.sendCopyFromChunk(data)
        connection.endCopyFrom()
      },
      handleCommandComplete() {},
      handleReadyForQuery: () => resolve(),
      handleError: (error: Error) => reject(error),
    }
    client.query(query)
  })
}
