import { hostname } from 'node:os'
import { sql as raw } from 'kysely'
import type { Database, Sql } from './connect.ts'

/** The lease was lost: it expired, or another process took it after it had expired. */
export class LeaseLostError extends Error {
  constructor(name: string, cause?: unknown) {
    super(`The lease ${name} is no longer held by this process`, { cause })
    this.name = 'LeaseLostError'
  }
}

type LeaseOptions = {
  /** One lease per name and database. */
  name: string
  /**
   * A holder that has not renewed the lease for this long has lost it. It is renewed three times in
   * this period.
   */
  durationMs?: number
  /**
   * The next run starts this long after the end of the last one, whichever process does it; 0: at
   * once.
   */
  everyMs?: number
  /** Whether the first run ever on this database waits for `everyMs` too. */
  delaysFirstRun?: boolean
}

export type Lease = {
  /** Increases with every acquisition, over all processes. */
  readonly fencingNumber: bigint
  /** When it was acquired, by the clock of the database. */
  readonly acquiredAt: Date
  /** Aborted when the lease is lost. Work outside the database checks it before every step. */
  readonly signal: AbortSignal
  /**
   * Checks in the caller's transaction that the lease is still held, and keeps other processes from
   * taking it until the transaction ends. So no process that has lost its lease commits a write.
   *
   * @throws LeaseLostError if it is lost.
   */
  confirm(sql: Sql): Promise<void>
  /**
   * Stores the outcome of this run when it ends.
   *
   * @param count what the outcome counts, such as broken invariants.
   */
  report(outcome: string, count: number): void
  /** Makes the next run due at once: there is more to do. */
  requestNextRun(): void
}

type LeasedRun<T> = { ran: true; result: T } | { ran: false }

const defaultDurationMs = 60_000
/** The delay after a failed run, unless `everyMs` is shorter. */
const retryAfterMs = 60_000

/**
 * Runs `work` if no other process holds the lease of this name and the next run is due. The lease
 * is a row, so it survives restarts and works through a connection pooler; it expires by the clock
 * of the database. It is renewed while `work` runs and released after it.
 *
 * @throws what `work` throws; the lease is then released too.
 */
export async function runWithLease<T>(
  database: Database,
  options: LeaseOptions,
  work: (lease: Lease) => Promise<T>,
): Promise<LeasedRun<T>> {
  const { name, durationMs = defaultDurationMs, everyMs = 0 } = options
  let takenAt = performance.now()
  const taken = await database.asSystem((sql) => takeLease(sql, options, durationMs))
  if (taken === null) return { ran: false }
  const { fencingNumber, acquiredAt } = taken

  const lost = new AbortController()
  let renewalError: unknown
  const lose = () => lost.abort(new LeaseLostError(name, renewalError))
  let expiry = setTimeout(lose, takenAt + durationMs - performance.now())
  const isExpired = () => performance.now() - takenAt >= durationMs
  const renew = async () => {
    const requestedAt = performance.now()
    const isRenewed = await database.asSystem((sql) => renewLease(sql, name, fencingNumber, durationMs))
    if (!isRenewed || isExpired()) return lose()
    takenAt = requestedAt
    clearTimeout(expiry)
    expiry = setTimeout(lose, takenAt + durationMs - performance.now())
  }
  const renewal = setInterval(() => {
    renew().catch((error: unknown) => {
      // The next interval retries. If the lease expires first, this error is the cause.
      renewalError = error
    })
  }, durationMs / 3)

  let hasMoreToDo = false
  let report = { outcome: 'done', count: 0 }
  const lease: Lease = {
    fencingNumber,
    acquiredAt,
    get signal() {
      // After a suspension, code runs before overdue timers do.
      if (isExpired()) lose()
      return lost.signal
    },
    confirm: async (sql) => {
      if (!(await isHeld(sql, name, fencingNumber))) {
        lose()
        throw new LeaseLostError(name)
      }
    },
    report: (outcome, count) => {
      report = { outcome, count }
    },
    requestNextRun: () => {
      hasMoreToDo = true
    },
  }
  const end = (ending: Ending) => {
    clearInterval(renewal)
    clearTimeout(expiry)
    return database.asSystem((sql) => endLease(sql, name, fencingNumber, ending))
  }
  let result: T
  try {
    result = await work(lease)
  } catch (error) {
    const endError = await end({ nextRunInMs: Math.min(everyMs, retryAfterMs), report: null }).then(
      () => null,
      (reason: unknown) => reason,
    )
    if (endError === null) throw error
    throw new AggregateError([error, endError], `The work of the lease ${name} failed, and the lease could not be released`, {
      cause: error,
    })
  }
  await end({ nextRunInMs: hasMoreToDo ? 0 : everyMs, report })
  return { ran: true, result }
}

/** Transactions that commit only while the lease is held. */
export const writeUnderLease =
  ({ asSystem }: Pick<Database, 'asSystem'>, lease: Pick<Lease, 'confirm' | 'signal'>): Database['asSystem'] =>
  (work) => {
    lease.signal.throwIfAborted()
    return asSystem(async (sql) => {
      await lease.confirm(sql)
      return work(sql)
    })
  }

/** Contains no secret; `kist doctor` shows it. */
const holder = `${hostname()}:${process.pid}`
const inMs = (ms: number) => raw<Date>`now() + make_interval(secs => ${ms / 1_000})`
const now = raw<Date>`now()`

/** @returns null if the lease is held or the next run is not due. */
async function takeLease(
  sql: Sql,
  { name, everyMs = 0, delaysFirstRun = false }: LeaseOptions,
  durationMs: number,
): Promise<Pick<Lease, 'fencingNumber' | 'acquiredAt'> | null> {
  const take = async () => {
    const acquired = await sql
      .updateTable('leases')
      .set(({ eb }) => ({ holder, fencing_number: eb('fencing_number', '+', 1n), expires_at: inMs(durationMs) }))
      .where('name', '=', name)
      .where('expires_at', '<=', now)
      .where('next_run_at', '<=', now)
      .returning(['fencing_number as fencingNumber', now.as('acquiredAt')])
      .executeTakeFirst()
    return acquired ?? null
  }
  const taken = await take()
  if (taken !== null) return taken
  const inserted = await sql
    .insertInto('leases')
    .values({ name, holder, fencing_number: 0n, expires_at: now, next_run_at: inMs(delaysFirstRun ? everyMs : 0) })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === 1n ? take() : null
}

async function renewLease(sql: Sql, name: string, fencingNumber: bigint, durationMs: number): Promise<boolean> {
  const { numUpdatedRows } = await sql
    .updateTable('leases')
    .set({ expires_at: inMs(durationMs) })
    .where('name', '=', name)
    .where('fencing_number', '=', fencingNumber)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

async function isHeld(sql: Sql, name: string, fencingNumber: bigint): Promise<boolean> {
  const held = await sql
    .selectFrom('leases')
    .select('name')
    .where('name', '=', name)
    .where('fencing_number', '=', fencingNumber)
    .where('expires_at', '>', raw<Date>`clock_timestamp()`)
    .forShare()
    .executeTakeFirst()
  return held !== undefined
}

/** `report` is null for a failed run: the previous report stays. */
type Ending = { nextRunInMs: number; report: { outcome: string; count: number } | null }

/** Has no effect if the lease is lost, because the fencing number has changed. */
async function endLease(sql: Sql, name: string, fencingNumber: bigint, { nextRunInMs, report }: Ending): Promise<void> {
  await sql
    .updateTable('leases')
    .set({
      expires_at: now,
      next_run_at: inMs(nextRunInMs),
      ...(report && { finished_at: now, outcome: report.outcome, outcome_count: BigInt(report.count) }),
    })
    .where('name', '=', name)
    .where('fencing_number', '=', fencingNumber)
    .execute()
}

type LeaseRow = {
  name: string
  holder: string
  isHeld: boolean
  finishedAt: Date | null
  outcome: string | null
  outcomeCount: number
}

/** Reads all leases with the report of their last successful run. */
export async function readLeases(sql: Sql): Promise<LeaseRow[]> {
  const rows = await sql
    .selectFrom('leases')
    .selectAll()
    .select(raw<boolean>`expires_at > now()`.as('is_held'))
    .orderBy('name')
    .execute()
  return rows.map((row) => ({
    name: row.name,
    holder: row.holder,
    isHeld: row.is_held,
    finishedAt: row.finished_at,
    outcome: row.outcome,
    outcomeCount: Number(row.outcome_count),
  }))
}
