import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import type pg from 'pg'
import { isPreparedStatementError, sendPipeline, type PipelineStatement, type Row } from './pipeline.ts'
import { encodeParameter, isDeferred, nameOfText } from './statement.ts'

/**
 * A pool whose clients send what is asked for at the same time in one round trip, and `begin` with
 * the next statement.
 *
 * @param isNamed prepares statements under names, so that PostgreSQL parses and plans each once per
 * connection: that takes longer than running a small statement. For transactions of one borrower,
 * whose statements find their rows by the borrower's key, so that one plan fits all.
 */
export function withPipelines(pool: pg.Pool, types: pg.CustomTypesConfig, { isNamed = false } = {}): PostgresPool {
  const clients = new WeakMap<pg.PoolClient, PipelinedClient>()
  const nameOf = createNames()
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => {
      const client = await pool.connect()
      const known = clients.get(client)
      if (known) return known
      try {
        const pipelined = new PipelinedClient(client, types, isNamed && (await reachesOneBackend(client)) ? nameOf : () => null)
        clients.set(client, pipelined)
        return pipelined
      } catch (error) {
        client.release(true)
        throw error
      }
    },
  }
}

type Result = { command: string; rowCount: number; rows: Row[] }
type Unsent = PipelineStatement & { resolve(result: Result): void; reject(error: unknown): void }

const nothing: Result = { command: '', rowCount: 0, rows: [] }

/** A client of {@link withPipelines}. */
export class PipelinedClient implements PostgresPoolClient {
  readonly #client: pg.PoolClient
  readonly #types: pg.CustomTypesConfig
  readonly #nameOf: (text: string) => string | null
  /** The names that the connection has prepared. */
  readonly #prepared = new Set<string>()
  #unsent: Unsent[] = []
  #isSending = false
  #mustClose = false

  constructor(client: pg.PoolClient, types: pg.CustomTypesConfig, nameOf: (text: string) => string | null) {
    this.#client = client
    this.#types = types
    this.#nameOf = nameOf
  }

  /** A connection with an open transaction, or with work that was not sent, is nobody else's. */
  release(destroy?: boolean): void {
    const status = this.#client.getTransactionStatus()
    const isOpen = status === 'T' || status === 'E'
    this.#client.release(destroy || this.#mustClose || isOpen || this.#unsent.length > 0)
  }

  query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>
  query(text: unknown, values: readonly unknown[] = []): unknown {
    if (typeof text !== 'string') throw new TypeError('A pipelined client has no cursors')
    if (text === 'rollback') {
      const isBegun = this.#unsent[0]?.text !== 'begin'
      this.#unsent = []
      if (!isBegun) return Promise.resolve(nothing)
    }
    return new Promise<Result>((resolve, reject) => {
      const name = values.length > 0 ? this.#nameOf(text) : null
      this.#unsent.push({ name, text, values: values.map(encodeParameter), resolve, reject })
      if (text === 'begin' || isDeferred(values)) resolve(nothing)
      else if (!this.#isSending) {
        this.#isSending = true
        queueMicrotask(() => void this.#send())
      }
    })
  }

  /** Sends all that was asked for in this turn of the event loop, and what was deferred before. */
  async #send(): Promise<void> {
    const sent = this.#unsent
    this.#unsent = []
    this.#isSending = false
    const names = sent.flatMap(({ name }) => name ?? [])
    try {
      const results = await sendPipeline(this.#client, this.#types, sent)
      for (const name of names) this.#prepared.add(name)
      for (const [index, { command, rows }] of results.entries()) sent[index]?.resolve({ ...readCommand(command), rows })
    } catch (error) {
      // Whether a name that was new is prepared now is not known.
      this.#mustClose ||= isPreparedStatementError(error) || names.some((name) => !this.#prepared.has(name))
      for (const { reject } of sent) reject(error)
    }
  }
}

/** Reads `INSERT 0 1`: the command, and the number of its rows. */
function readCommand(text: string): { command: string; rowCount: number } {
  const [command = '', ...numbers] = text.split(' ')
  return { command, rowCount: Number(numbers.at(-1) ?? 0) }
}

/**
 * Whether the connection leads to one process of PostgreSQL. A pooler announces a process id of its
 * own, and may lend each transaction another connection, which does not know the names.
 */
async function reachesOneBackend(client: pg.PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid === (client as unknown as { processID: number | null }).processID
}

/** The memory of a connection is limited: texts with lists of any length are many. */
const namesMax = 200

/**
 * Names statements from their second use on. Without a name: statements that select `*`, because
 * the columns of a prepared one must not change when a migration adds one.
 */
function createNames(): (text: string) => string | null {
  const seen = new Set<string>()
  const names = new Map<string, string>()
  return (text) => {
    const known = names.get(text)
    if (known !== undefined) return known
    if (names.size >= namesMax || /(?:select|returning|\.) ?\*/i.test(text)) return null
    if (!seen.has(text)) {
      if (seen.size < 10 * namesMax) seen.add(text)
      return null
    }
    const name = nameOfText(text)
    names.set(text, name)
    return name
  }
}
