import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely'
import pg from 'pg'
import { withAfterCommit } from './after-commit.ts'
import { clientWithSocketTimeout, socketTimeoutFor } from './socket-timeout.ts'
import { isPreparedStatementError, sendPipeline, type Row } from './pipeline.ts'
import type { DB } from './schema.generated.ts'
import { rowsOf, statement, type Bound } from './statement.ts'

/** One open transaction. Stores take it; nothing reads or writes outside of one. */
export type Sql = Transaction<DB>

export type Database = {
  /**
   * Runs `work` in one READ COMMITTED transaction with the borrower set (`app.borrower_id`), so that row-level security
   * holds what the stores ask for. Rolled back when `work` throws.
   */
  asBorrower<T>(borrowerId: string, work: (sql: Sql) => Promise<T>): Promise<T>
  /** The same for work that belongs to no one borrower (`app.system`): sign-in, the staff's list, webhooks, jobs, the operator. */
  asSystem<T>(work: (sql: Sql) => Promise<T>): Promise<T>
  /** As {@link asSystem}, reading only, everything as it stood at one moment, and without the time limit of a request. */
  asSnapshot<T>(work: (sql: Sql) => Promise<T>): Promise<T>
  /** As {@link asBorrower}, for reads that need nothing of each other: all in one journey. @returns the rows of each. */
  readAsBorrower(borrowerId: string, reads: readonly Bound<unknown>[]): Promise<Row[][]>
  /**
   * The same for the borrower whom `holder` sets. It goes first, with the system's sight, and as it answers its one row it ends that and sets a
   * borrower, or none (session-store.ts); the others then see what is that borrower's. It is given the time limit for them.
   */
  readAsSessionOwner(
    holder: (timeoutMs: string) => Bound<unknown>,
    reads: readonly Bound<unknown>[],
  ): Promise<{ holder: Row; rows: Row[][] }>
  /** How many wait for a connection right now. */
  waiting(): number
  close(): Promise<void>
}

export type DatabaseLimits = { connectionsMax: number; connectTimeoutMs: number; statementTimeoutMs: number }

const { builtins } = pg.types
const anyTimestamp = pg.types.getTypeParser(builtins.TIMESTAMPTZ) as (text: string) => Date
/** A moment as PostgreSQL writes it in UTC is but two letters from how JavaScript reads it fast; every other one is left to the driver. */
const timestamp = (text: string): Date =>
  /^\d{4}-/.test(text) && text.endsWith('+00') ? new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`) : anyTimestamp(text)

/** Money columns come as bigint, calendar dates as text; a float or a local midnight never stands between. */
export const columnTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === builtins.INT8) return BigInt
    if (oid === builtins.DATE) return (text: string) => text
    if (oid === builtins.TIMESTAMPTZ) return timestamp
    return pg.types.getTypeParser(oid, format)
  }) as pg.CustomTypesConfig['getTypeParser'],
}

/** What a transaction in one packet begins with. Between its statements nobody can pause. */
const asBorrowerFirst = statement<{ borrowerId: string; timeoutMs: string }>()((writer, { borrowerId, timeoutMs }) =>
  writer.selectNoFrom(
    sql`set_config('app.borrower_id', ${borrowerId}, true), set_config('app.system', 'off', true), set_config('statement_timeout', ${timeoutMs}, true)`.as(
      'set',
    ),
  ),
)

/** So many snapshots at once. */
const snapshotsMax = 2

/** One statement that has ended; its text without values. */
export type Statement = { text: string; milliseconds: number; failed: boolean }

/**
 * Opens a pool on the serving login.
 *
 * @param onStatement told of every statement, where it was made.
 */
export function connect(url: string, limits: DatabaseLimits, onStatement?: (statement: Statement) => void): Database {
  const open = (max: number, Client: typeof pg.Client) => {
    const pool = new pg.Pool({
      connectionString: url,
      max,
      Client,
      connectionTimeoutMillis: limits.connectTimeoutMs,
      idleTimeoutMillis: 30_000,
      types: columnTypes,
    })
    // A server that goes away breaks idle clients; unheard, that would end the process. The next query tells its caller.
    pool.on('error', () => {})
    pool.on('connect', (client) => client.on('error', () => {}))
    const kysely = new Kysely<DB>({
      dialect: new PostgresDialect({ pool }),
      ...(onStatement && {
        log: ({ level, query, queryDurationMillis }) =>
          onStatement({ text: query.sql, milliseconds: queryDurationMillis, failed: level === 'error' }),
      }),
    })
    return { pool, kysely }
  }
  const { pool, kysely } = open(limits.connectionsMax, clientWithSocketTimeout(socketTimeoutFor(limits.statementTimeoutMs)))
  // A snapshot may take as long as it takes, so its connections wait as long; none is made before one is asked for.
  const patient = open(snapshotsMax, pg.Client)

  // Until a pooler turns out to stand between that lends another connection each time.
  let named = true
  const together = async (statements: readonly Bound<unknown>[], isRepeated = false): Promise<Row[][]> => {
    const startedAt = performance.now()
    const client = await pool.connect()
    let failure: unknown = null
    try {
      return await sendPipeline(client, columnTypes, statements, named)
    } catch (error) {
      failure = error
      if (isRepeated || !isPreparedStatementError(error)) throw error
    } finally {
      client.release(failure !== null)
      for (const { statement } of onStatement ? statements : [])
        onStatement?.({ text: statement.text, milliseconds: performance.now() - startedAt, failed: failure !== null })
    }
    named = false
    return together(statements, true)
  }
  const timeoutMs = String(limits.statementTimeoutMs)

  const inTransaction = <T>(work: (sql: Sql) => Promise<T>): Promise<T> => withAfterCommit((run) => kysely.transaction().execute(run), work)

  return {
    asBorrower: (borrowerId, work) =>
      inTransaction((transaction) => inside(transaction, limits.statementTimeoutMs).asBorrower(borrowerId, work)),
    asSystem: (work) => inTransaction((transaction) => inside(transaction, limits.statementTimeoutMs).asSystem(work)),
    asSnapshot: (work) =>
      patient.kysely
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute((transaction) => inside(transaction).asSnapshot(work)),
    readAsBorrower: async (borrowerId, reads) => (await together([asBorrowerFirst.with({ borrowerId, timeoutMs }), ...reads])).slice(1),
    readAsSessionOwner: async (holder, reads) => {
      const [[row] = [], ...rows] = await together([holder(timeoutMs), ...reads])
      if (!row) throw new Error('The statement that finds the holder answered nothing')
      return { holder: row, rows }
    },
    waiting: () => pool.waitingCount,
    close: async () => {
      await Promise.all([kysely.destroy(), patient.kysely.destroy()])
    },
  }
}

/**
 * The same database from within one open transaction: what is done through it is done together, or not at all. Every setting holds
 * for the transaction alone: a pooler may give the next one another connection, and this connection to somebody else.
 *
 * @param timeoutMs for each statement, and for a pause between two.
 */
export function inside(transaction: Sql, timeoutMs?: number): Database {
  const limit =
    timeoutMs === undefined
      ? sql``
      : sql`, set_config('statement_timeout', ${String(timeoutMs)}, true), set_config('idle_in_transaction_session_timeout', ${String(timeoutMs)}, true)`
  const as = async <T>(borrowerId: string, system: 'on' | 'off', work: (sql: Sql) => Promise<T>): Promise<T> => {
    await sql`select set_config('app.borrower_id', ${borrowerId}, true), set_config('app.system', ${system}, true)${limit}`.execute(
      transaction,
    )
    return work(transaction)
  }
  const readAll = async (reads: readonly Bound<unknown>[]) => (await rowsOf(transaction, reads)) as Row[][]
  return {
    asBorrower: (borrowerId, work) => as(borrowerId, 'off', work),
    asSystem: (work) => as('', 'on', work),
    readAsBorrower: (borrowerId, reads) => as(borrowerId, 'off', () => readAll(reads)),
    readAsSessionOwner: (holder, reads) =>
      as('', 'on', async () => {
        const [[row] = []] = await readAll([holder(String(timeoutMs ?? 0))])
        if (!row) throw new Error('The statement that finds the holder answered nothing')
        return { holder: row, rows: await readAll(reads) }
      }),
    asSnapshot: async (work) => {
      await sql`select set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true)`.execute(
        transaction,
      )
      return inside(transaction).asSystem(work)
    },
    waiting: () => 0,
    close: () => Promise.resolve(),
  }
}
