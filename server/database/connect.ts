import { Kysely, PostgresDialect, sql, type PostgresPool, type Transaction } from 'kysely'
import pg from 'pg'
import { withAfterCommit } from './after-commit.ts'
import { findOnShards, type Findable } from './find-on-shards.ts'
import { clientWithSocketTimeout, socketTimeoutFor } from './socket-timeout.ts'
import { withPipelines } from './pipelined-client.ts'
import type { Row } from './pipeline.ts'
import { createReadPipeline } from './read-pipeline.ts'
import type { DB } from './schema.generated.ts'
import { executeDeferred, executeTogether, statement, type Bound, type OnStatement, type RowsOf } from './statement.ts'
import { isNodeUnavailable } from './unavailable.ts'

/** One open transaction. Stores read and write only within one. */
export type Sql = Transaction<DB>

export type Database = {
  /**
   * Runs `work` in one READ COMMITTED transaction with the borrower set (`app.borrower_id`), so
   * that row-level security limits it to that borrower's rows. Rolled back if `work` throws.
   */
  asBorrower<T>(borrowerId: string, work: (sql: Sql) => Promise<T>): Promise<T>
  /**
   * Runs work that belongs to no single borrower (`app.system`): sign-in, the staff's list,
   * webhooks, jobs, the operator.
   */
  asSystem<T>(work: (sql: Sql) => Promise<T>): Promise<T>
  /**
   * Finds keys in one table for background work, as {@link asSystem} and without locks. Where the
   * tables are distributed and a node is away, it finds those of the other nodes: a borrower whose
   * rows are away stops nobody else's work.
   *
   * @param limit how many the query finds at most.
   */
  findAvailable<Row extends Record<string, string>>(limit: number, query: (sql: Sql) => Findable<Row>): Promise<Row[]>
  /**
   * As {@link asSystem}, but read-only, with a snapshot of one moment and without the time limit of
   * a request.
   */
  asSnapshot<T>(work: (sql: Sql) => Promise<T>): Promise<T>
  /**
   * Runs independent reads of one borrower in one round trip.
   *
   * @returns the rows of each read.
   */
  readAsBorrower<const B extends readonly Bound<unknown>[]>(borrowerId: string, reads: B): Promise<RowsOf<B>>
  /** As {@link readAsBorrower}, for work that belongs to no single borrower. */
  readAsSystem<const B extends readonly Bound<unknown>[]>(reads: B): Promise<RowsOf<B>>
  /**
   * As {@link readAsBorrower}, with the access of a session. The `session` statement runs first
   * with system access, returns one row, and limits the other statements to what the session may
   * reach (session-store.ts). It receives the time limit for them.
   *
   * @param options `isAlone`: for reads that may wait for locks or take long (read-batches.ts).
   */
  readAsSession(
    session: (timeoutMs: string) => Bound<unknown>,
    reads: readonly Bound<unknown>[],
    options?: { isAlone?: boolean },
  ): Promise<{ session: Row; rows: Row[][] }>
  /**
   * The number of callers that wait for a connection. Reads that wait for a batch are counted where
   * no connection is left for them.
   */
  waiting(): number
  close(): Promise<void>
}

type DatabaseLimits = {
  connectionsMax: number
  connectTimeoutMs: number
  statementTimeoutMs: number
  /** Whether the tables are distributed by Citus; then it must pass on the access to its nodes. */
  isDistributed?: boolean
}

const { builtins } = pg.types
const parseAnyTimestamp = pg.types.getTypeParser(builtins.TIMESTAMPTZ) as (text: string) => Date
/**
 * Converts PostgreSQL's UTC format to the ISO format that JavaScript parses fast; the driver parses
 * other formats.
 */
const parseTimestamp = (text: string): Date =>
  /^\d{4}-/.test(text) && text.endsWith('+00') ? new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`) : parseAnyTimestamp(text)

const textArrayOid = 1009
const parseAnyTextArray = pg.types.getTypeParser(textArrayOid as never) as (text: string) => string[]
/** Splits an array without quoted, escaped or null elements; the driver parses the others. */
const parseTextArray = (text: string): string[] =>
  text === '{}' ? [] : /^\{[\w:/.,-]+\}$/.test(text) && !/null/i.test(text) ? text.slice(1, -1).split(',') : parseAnyTextArray(text)

/** Reads money columns as bigint and dates as text, which avoids floats and local midnights. */
export const columnTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === builtins.INT8) return BigInt
    if (oid === builtins.DATE) return (text: string) => text
    if (oid === builtins.TIMESTAMPTZ) return parseTimestamp
    if (oid === textArrayOid) return parseTextArray
    return pg.types.getTypeParser(oid, format)
  }) as pg.CustomTypesConfig['getTypeParser'],
}

/** Whose rows a transaction reaches: those of a borrower, with `system` all, with neither none. */
type Access = { borrowerId: string; system: 'on' | 'off' }

/**
 * The first statement of a pipeline. It needs no idle timeout: the server never waits between its
 * statements.
 */
const setAccess = statement<Access & { timeoutMs: string }>()((compiler, { borrowerId, system, timeoutMs }) =>
  compiler.selectNoFrom(
    sql`set_config('app.borrower_id', ${borrowerId}, true), set_config('app.system', ${system}, true), set_config('statement_timeout', ${timeoutMs}, true)`.as(
      'set',
    ),
  ),
)

/**
 * The same for distributed tables: the function sets the access by `SET LOCAL`, which Citus passes
 * on to the nodes that hold the rows; what `set_config` sets stays on the coordinator. Citus opens
 * a transaction on those nodes only within an explicit one here.
 */
const setDistributedAccess = statement<Access & { timeoutMs: string }>()((compiler, { borrowerId, system, timeoutMs }) =>
  compiler.selectNoFrom(sql`set_access(${borrowerId}, ${system}), set_config('statement_timeout', ${timeoutMs}, true)`.as('set')),
)
const begin: Bound<never> = { statement: { name: 'kist_begin', text: 'begin' }, values: [] }
const commit: Bound<never> = { statement: { name: 'kist_commit', text: 'commit' }, values: [] }

/** The open transactions whose tables are distributed. */
const distributedTransactions = new WeakSet<Sql>()

/** The maximum number of concurrent snapshots. */
const snapshotsMax = 2

/** Opens a pool of connections, and the query builders that use it. */
function openPool(
  url: string,
  { max, Client, limits }: { max: number; Client: typeof pg.Client; limits: DatabaseLimits },
  onStatement?: OnStatement,
): { pool: pg.Pool; kysely: Kysely<DB>; named: Kysely<DB> } {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    Client,
    connectionTimeoutMillis: limits.connectTimeoutMs,
    idleTimeoutMillis: 30_000,
    types: columnTypes,
    ...(limits.isDistributed && { options: '-c citus.propagate_set_commands=local' }),
  })
  // A server shutdown breaks idle clients; without a listener that would end the process. The next
  // query reports the error to its caller.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const write = (through: PostgresPool) =>
    new Kysely<DB>({
      dialect: new PostgresDialect({ pool: through }),
      ...(onStatement && {
        log: ({ level, query, queryDurationMillis }) =>
          onStatement({ text: query.sql, milliseconds: queryDurationMillis, failed: level === 'error' }),
      }),
    })
  return { pool, kysely: write(withPipelines(pool, columnTypes)), named: write(withPipelines(pool, columnTypes, { isNamed: true })) }
}

/**
 * Opens a connection pool as the serving login.
 */
export function connect(url: string, limits: DatabaseLimits, onStatement?: OnStatement): Database {
  const Client = clientWithSocketTimeout(socketTimeoutFor(limits.statementTimeoutMs))
  const { pool, kysely, named } = openPool(url, { max: limits.connectionsMax, Client, limits }, onStatement)
  // Snapshots have no time limit, so their connections have no socket timeout. They open on demand.
  const snapshots = openPool(url, { max: snapshotsMax, Client: pg.Client, limits }, onStatement)

  const pipeline = createReadPipeline(pool, columnTypes, onStatement)
  const timeoutMs = String(limits.statementTimeoutMs)
  const readWithAccess = async <const B extends readonly Bound<unknown>[]>(access: Access, reads: B): Promise<RowsOf<B>> => {
    const rows = limits.isDistributed
      ? (await pipeline.run([begin, setDistributedAccess.with({ ...access, timeoutMs }), ...reads, commit])).slice(2, -1)
      : (await pipeline.run([setAccess.with({ ...access, timeoutMs }), ...reads])).slice(1)
    return rows as unknown as RowsOf<B>
  }

  const marked = (transaction: Sql): Sql => {
    if (limits.isDistributed) distributedTransactions.add(transaction)
    return transaction
  }
  const inTransaction = <T>(of: Kysely<DB>, work: (sql: Sql) => Promise<T>): Promise<T> =>
    withAfterCommit((run) => of.transaction().execute((transaction) => run(marked(transaction))), work)

  const asSystem: Database['asSystem'] = (work) =>
    inTransaction(kysely, (transaction) => withinTransaction(transaction, limits.statementTimeoutMs).asSystem(work))

  return {
    asBorrower: (borrowerId, work) =>
      inTransaction(named, (transaction) => withinTransaction(transaction, limits.statementTimeoutMs).asBorrower(borrowerId, work)),
    asSystem,
    findAvailable: (limit, query) =>
      asSystem((sql) => query(sql).execute()).catch(async (error: unknown) => {
        if (!limits.isDistributed || !isNodeUnavailable(error)) throw error
        return (await asSystem((sql) => findOnShards(sql, query(sql)))).slice(0, limit)
      }),
    asSnapshot: (work) =>
      snapshots.kysely
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute((transaction) => withinTransaction(marked(transaction)).asSnapshot(work)),
    readAsBorrower: (borrowerId, reads) => readWithAccess({ borrowerId, system: 'off' }, reads),
    readAsSystem: (reads) => readWithAccess({ borrowerId: '', system: 'on' }, reads),
    readAsSession: async (session, reads, { isAlone = false } = {}) => {
      const statements = [session(timeoutMs), ...reads]
      const [[row] = [], ...rows] = await (isAlone ? pipeline.run(statements) : pipeline.runInBatch(statements))
      if (!row) throw new Error('The session statement returned no row')
      return { session: row, rows }
    },
    waiting: () => {
      const unused = limits.connectionsMax - pool.totalCount + pool.idleCount
      return pool.waitingCount + Math.max(0, pipeline.waiting() - unused)
    },
    close: async () => {
      await Promise.all([pool.end(), snapshots.pool.end()])
    },
  }
}

/**
 * The Database interface on one open transaction: all its work commits together. Settings last for
 * the transaction only, because a pooler may reuse the connection for another client.
 *
 * @param timeoutMs limits each statement and each pause between two.
 */
export function withinTransaction(transaction: Sql, timeoutMs?: number): Database {
  const limit =
    timeoutMs === undefined
      ? sql``
      : sql`, set_config('statement_timeout', ${String(timeoutMs)}, true), set_config('idle_in_transaction_session_timeout', ${String(timeoutMs)}, true)`
  const as = async <T>(borrowerId: string, system: 'on' | 'off', work: (sql: Sql) => Promise<T>): Promise<T> => {
    const access = distributedTransactions.has(transaction)
      ? sql`set_access(${borrowerId}, ${system})`
      : sql`set_config('app.borrower_id', ${borrowerId}, true), set_config('app.system', ${system}, true)`
    await executeDeferred(transaction, sql`select ${access}${limit}`.compile(transaction))
    return work(transaction)
  }
  return {
    asBorrower: (borrowerId, work) => as(borrowerId, 'off', work),
    asSystem: (work) => as('', 'on', work),
    findAvailable: (_limit, query) => as('', 'on', (sql) => query(sql).execute()),
    readAsBorrower: (borrowerId, reads) => as(borrowerId, 'off', () => executeTogether(transaction, reads)),
    readAsSystem: (reads) => as('', 'on', () => executeTogether(transaction, reads)),
    readAsSession: (session, reads) =>
      as('', 'on', async () => {
        const [[row]] = await executeTogether(transaction, [session(String(timeoutMs ?? 0))] as const)
        if (!row) throw new Error('The session statement returned no row')
        return { session: row as Row, rows: (await executeTogether(transaction, reads)) as Row[][] }
      }),
    asSnapshot: async (work) => {
      await sql`select set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true)`.execute(
        transaction,
      )
      return withinTransaction(transaction).asSystem(work)
    },
    waiting: () => 0,
    close: () => Promise.resolve(),
  }
}
