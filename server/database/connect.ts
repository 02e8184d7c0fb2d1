import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely'
import pg from 'pg'
import { impatientClient, patienceFor } from './impatient-client.ts'
import type { DB } from './schema.generated.ts'

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
  /** How many wait for a connection right now. */
  waiting(): number
  close(): Promise<void>
}

export type DatabaseLimits = { connectionsMax: number; connectTimeoutMs: number; statementTimeoutMs: number }

const { builtins } = pg.types
/** Money columns come as bigint, calendar dates as text; a float or a local midnight never stands between. */
export const columnTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === builtins.INT8) return BigInt
    if (oid === builtins.DATE) return (text: string) => text
    return pg.types.getTypeParser(oid, format)
  }) as pg.CustomTypesConfig['getTypeParser'],
}

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
  const { pool, kysely } = open(limits.connectionsMax, impatientClient(patienceFor(limits.statementTimeoutMs)))
  // A snapshot may take as long as it takes, so its connections wait as long; none is made before one is asked for.
  const patient = open(snapshotsMax, pg.Client)

  return {
    asBorrower: (borrowerId, work) =>
      kysely.transaction().execute((transaction) => inside(transaction, limits.statementTimeoutMs).asBorrower(borrowerId, work)),
    asSystem: (work) => kysely.transaction().execute((transaction) => inside(transaction, limits.statementTimeoutMs).asSystem(work)),
    asSnapshot: (work) =>
      patient.kysely
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute((transaction) => inside(transaction).asSnapshot(work)),
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
  return {
    asBorrower: (borrowerId, work) => as(borrowerId, 'off', work),
    asSystem: (work) => as('', 'on', work),
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
