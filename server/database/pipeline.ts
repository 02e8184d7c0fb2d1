import type pg from 'pg'
import type { Bound } from './statement.ts'

/** The internals of the driver's connection that are used here. */
type Connection = { stream: { write(bytes: Buffer): void } }
type Field = { name: string; dataTypeID: number; format: 'text' | 'binary' }
type Shape = { readonly name: string; readonly parse: (text: string) => unknown }[]
export type Row = Record<string, unknown>

/** The prepared statements of each connection, with their columns. */
const preparedStatements = new WeakMap<Connection, Map<string, Shape>>()

/**
 * Sends statements followed by one Sync: one round trip and one transaction, in which settings of
 * the first statement apply to the others. The first error aborts the rest; the connection must
 * then be closed, because its prepared statements are uncertain.
 *
 * @param isNamed whether statements are prepared under names, which fails behind a pooler that
 * switches connections.
 * @returns the rows of each statement.
 */
export function sendPipeline(
  client: pg.ClientBase,
  types: pg.CustomTypesConfig,
  statements: readonly Bound<unknown>[],
  isNamed: boolean,
): Promise<Row[][]> {
  return new Promise((resolve, reject) => {
    const rows: Row[][] = statements.map(() => [])
    const shapes: (Shape | undefined)[] = []
    let current = 0
    let failure: unknown = null
    const pipeline = {
      callback: () => {},
      submit(connection: Connection) {
        const names = getStatementNames(connection)
        const messages = statements.map(({ statement, values }, index) => {
          const shape = isNamed ? names.get(statement.name) : undefined
          const name = isNamed ? statement.name : ''
          shapes[index] = shape
          return { name, values, text: shape ? null : statement.text }
        })
        connection.stream.write(encode(messages))
      },
      handleRowDescription({ fields }: { fields: Field[] }) {
        shapes[current] = fields.map(({ name, dataTypeID }) => ({ name, parse: types.getTypeParser(dataTypeID, 'text') }))
      },
      handleDataRow({ fields }: { fields: (string | null)[] }) {
        try {
          rows[current]?.push(parseRow(shapes[current] ?? [], fields))
        } catch (error) {
          failure = error
        }
      },
      handleCommandComplete(_message: unknown, connection: Connection) {
        const { statement } = statements[current] as Bound<unknown>
        if (isNamed) getStatementNames(connection).set(statement.name, shapes[current] ?? [])
        current += 1
      },
      handleEmptyQuery() {},
      handleReadyForQuery: () => (failure === null ? resolve(rows) : reject(failure)),
      handleError: (error: Error) => reject(error),
    }
    client.query(pipeline as unknown as pg.Submittable)
  })
}

/**
 * One statement of a pipeline. `text` is null if the connection has prepared it; otherwise its
 * columns are requested too.
 */
type Message = { name: string; text: string | null; values: readonly (string | null)[] }

const describe = Buffer.from('D\0\0\0\x06P\0', 'latin1')
const execute = Buffer.from('E\0\0\0\x09\0\0\0\0\0', 'latin1')
const sync = Buffer.from('S\0\0\0\x04', 'latin1')

/**
 * Encodes the messages of PostgreSQL's extended query protocol (version 3: Parse, Bind, Describe,
 * Execute, then Sync) in one buffer. Single writes would cost as much as the rest of a small read.
 */
function encode(messages: readonly Message[]): Buffer {
  let size = sync.length
  for (const { name, text, values } of messages) {
    if (text !== null) size += 9 + Buffer.byteLength(name) + Buffer.byteLength(text) + describe.length
    size += 13 + Buffer.byteLength(name) + execute.length
    for (const value of values) size += 4 + (value === null ? 0 : Buffer.byteLength(value))
  }
  const bytes = Buffer.allocUnsafe(size)
  let at = 0
  const begin = (kind: string): number => {
    at += bytes.write(kind, at, 'latin1')
    at += 4
    return at - 4
  }
  const end = (lengthAt: number) => bytes.writeInt32BE(at - lengthAt, lengthAt)
  const text = (value: string) => {
    at += bytes.write(value, at)
    at = bytes.writeUInt8(0, at)
  }
  for (const message of messages) {
    if (message.text !== null) {
      const parse = begin('P')
      text(message.name)
      text(message.text)
      at = bytes.writeInt16BE(0, at)
      end(parse)
    }
    const bind = begin('B')
    text('')
    text(message.name)
    at = bytes.writeInt16BE(0, at)
    at = bytes.writeInt16BE(message.values.length, at)
    for (const value of message.values) {
      at = bytes.writeInt32BE(value === null ? -1 : Buffer.byteLength(value), at)
      if (value !== null) at += bytes.write(value, at)
    }
    at = bytes.writeInt16BE(0, at)
    end(bind)
    if (message.text !== null) at += describe.copy(bytes, at)
    at += execute.copy(bytes, at)
  }
  sync.copy(bytes, at)
  return bytes
}

function getStatementNames(connection: Connection): Map<string, Shape> {
  const names = preparedStatements.get(connection) ?? new Map<string, Shape>()
  preparedStatements.set(connection, names)
  return names
}

function parseRow(shape: Shape, fields: readonly (string | null)[]): Row {
  const row: Row = {}
  for (let index = 0; index < shape.length; index += 1) {
    const { name, parse } = shape[index] as Shape[number]
    const text = fields[index] ?? null
    row[name] = text === null ? null : parse(text)
  }
  return row
}

/**
 * Whether an error concerns prepared statements: unknown name, duplicate name or changed result
 * columns. The caller then retries without names.
 */
export const isPreparedStatementError = (error: unknown): boolean => {
  const { code } = error as { code?: unknown }
  return code === '26000' || code === '42P05' || (code === '0A000' && /cached plan/.test(String((error as Error).message)))
}
