import type pg from 'pg'

/** The internals of the driver's connection that are used here. */
type Connection = { stream: { write(bytes: Buffer): void } }
type Field = { name: string; dataTypeID: number; format: 'text' | 'binary' }
type Shape = { readonly name: string; readonly parse: (text: string) => unknown }[]
export type Row = Record<string, unknown>

/** `name` is null for a statement that is not prepared. */
export type PipelineStatement = { name: string | null; text: string; values: readonly (string | null)[] }
/** `command` as PostgreSQL reports it, for example `UPDATE 1`. */
type PipelineResult = { command: string; rows: Row[] }

/** The prepared statements of each connection, with their columns. */
const preparedStatements = new WeakMap<Connection, Map<string, Shape>>()

/**
 * Sends statements followed by one Sync: one round trip, and one transaction unless one is open.
 * Settings of the first statement apply to the others. The first error aborts the rest; the
 * connection must then be closed, because its prepared statements are uncertain.
 */
export async function sendPipeline(
  client: pg.ClientBase,
  types: pg.CustomTypesConfig,
  statements: readonly PipelineStatement[],
): Promise<PipelineResult[]> {
  let results: PipelineResult[] = []
  await sendPipelines(client, types, [statements], (_index, found) => {
    results = found
  })
  return results
}

/** Whether the connection has prepared statements with these names. */
export function hasPrepared(client: pg.ClientBase, names: readonly string[]): boolean {
  const known = getStatementNames((client as unknown as { connection: Connection }).connection)
  return names.every((name) => known.has(name))
}

/**
 * Sends several pipelines in one message, each with its own Sync and so a transaction of its own.
 * The connection must have prepared the statements of all of them, unless there is only one.
 *
 * @param answered receives the results of each pipeline as they arrive.
 * @throws the error of the first pipeline that fails; what those after it did is not known, and the
 * connection must be closed.
 */
export async function sendPipelines(
  client: pg.ClientBase,
  types: pg.CustomTypesConfig,
  pipelines: readonly (readonly PipelineStatement[])[],
  answered: (index: number, results: PipelineResult[]) => void,
): Promise<void> {
  const sendAll = (connection: Connection) =>
    connection.stream.write(Buffer.concat(pipelines.map((statements) => encodePipeline(connection, statements))))
  // The driver passes the messages of one answer to one query: each pipeline is a query, and the
  // next one follows within the callback that ends the one before.
  await new Promise<void>((resolve, reject) => {
    const receive = (index: number) => {
      const statements = pipelines[index]
      if (!statements) return resolve()
      receiveResults(client, types, statements, index === 0 ? sendAll : () => {}, reject, (results) => {
        answered(index, results)
        receive(index + 1)
      })
    }
    receive(0)
  })
}

/** Encodes a pipeline; its statements are parsed where the connection has not prepared them. */
function encodePipeline(connection: Connection, statements: readonly PipelineStatement[]): Buffer {
  const parsed = new Set(getStatementNames(connection).keys())
  return encode(
    statements.map(({ name, text, values }) => {
      const isParsed = name !== null && parsed.has(name)
      if (name !== null) parsed.add(name)
      return { name: name ?? '', values, text: isParsed ? null : text }
    }),
  )
}

/**
 * Receives the results of a pipeline.
 *
 * @param send writes what the connection has not got yet, before.
 */
function receiveResults(
  client: pg.ClientBase,
  types: pg.CustomTypesConfig,
  statements: readonly PipelineStatement[],
  send: (connection: Connection) => void,
  reject: (error: unknown) => void,
  resolve: (results: PipelineResult[]) => void,
): void {
  const results = statements.map((): PipelineResult => ({ command: '', rows: [] }))
  let names = new Map<string, Shape>()
  /** The columns of the current statement, if they were described now. */
  let described: Shape | null = null
  let current = 0
  let failure: unknown = null
  const pipeline = {
    statements,
    callback: () => {},
    /** @returns an error for the driver, which can then send the next query. */
    submit(connection: Connection): Error | null {
      names = getStatementNames(connection)
      try {
        send(connection)
        return null
      } catch (error) {
        return error as Error
      }
    },
    handleRowDescription({ fields }: { fields: Field[] }) {
      described = fields.map(({ name, dataTypeID }) => ({ name, parse: types.getTypeParser(dataTypeID, 'text') }))
    },
    handleDataRow({ fields }: { fields: (string | null)[] }) {
      try {
        const { name } = statements[current] as PipelineStatement
        results[current]?.rows.push(parseRow(described ?? names.get(name ?? '') ?? [], fields))
      } catch (error) {
        failure = error
      }
    },
    handleCommandComplete({ text }: { text: string }) {
      const { name } = statements[current] as PipelineStatement
      if (name !== null && !names.has(name)) names.set(name, described ?? [])
      ;(results[current] as PipelineResult).command = text
      described = null
      current += 1
    },
    handleEmptyQuery() {},
    handleReadyForQuery: () => (failure === null ? resolve(results) : reject(failure)),
    handleError: (error: Error) => reject(error),
  }
  client.query(pipeline as unknown as pg.Submittable)
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
    at = bytes.writeUInt16BE(message.values.length, at)
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
  return code === '26000' || code === '42P05' || isChangedPlanError(error)
}

/** Whether a migration has changed the columns of a prepared statement. */
export const isChangedPlanError = (error: unknown): boolean =>
  (error as { code?: unknown }).code === '0A000' && /cached plan/.test(String((error as Error).message))
