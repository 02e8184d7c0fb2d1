import type { Config } from '../config/config.ts'
import { connect } from '../database/connect.ts'
import { findMissingSchema } from './missing-schema.ts'

/**
 * Whether this process accepts requests, or why not. `database`: the database does not answer.
 * `migrations`: the schema is behind this version, or the process is still starting.
 */
type ReadyState = 'ready' | 'stopping' | 'database' | 'migrations'

export type Readiness = {
  /** Asks the database at most once per {@link cacheMs}, however many requests ask. */
  state(): Promise<ReadyState>
  /** What the database lacks of this version's schema: names of migrations and of job tables. */
  missing(): Promise<string[]>
  /** Opens the API: the schema was complete once. */
  open(): void
  isOpen(): boolean
  /** Marks the process as stopping, whatever the state of the database. */
  stop(): void
  isStopping(): boolean
  close(): Promise<void>
}

const cacheMs = 500
const socketTimeoutMs = 2_000

/** As `missing`, within the limits of ordinary statements instead of two seconds. */
export async function findMissingWithOrdinaryLimits(databaseUrl: string, limits: Config['database']): Promise<string[]> {
  // Not the serving pool: for distributed tables it calls a function of the schema.
  const database = connect(databaseUrl, { ...limits, connectionsMax: 1, isDistributed: false })
  try {
    return await database.asSystem(findMissingSchema)
  } finally {
    await database.close()
  }
}

/** Uses its own connection: busy connections are no reason to take this process out of service. */
export function createReadiness(databaseUrl: string, limits: Config['database']): Readiness {
  const database = connect(databaseUrl, {
    connectionsMax: 1,
    connectTimeoutMs: Math.min(limits.connectTimeoutMs, socketTimeoutMs),
    statementTimeoutMs: socketTimeoutMs,
  })
  let isStopping = false
  let isOpen = false
  let last: { at: number; state: Promise<ReadyState> } | null = null

  const missing = () => database.asSystem(findMissingSchema)
  const checkDatabase = async (): Promise<ReadyState> => {
    try {
      return (await missing()).length === 0 ? 'ready' : 'migrations'
    } catch {
      // The health answer shows it; the requests that failed have logged the cause.
      return 'database'
    }
  }
  return {
    state: async () => {
      if (isStopping) return 'stopping'
      const now = performance.now()
      if (!last || now - last.at > cacheMs) last = { at: now, state: checkDatabase() }
      const state = await last.state
      // Until `open`, the job queue and the loops have not started.
      return isStopping ? 'stopping' : state === 'ready' && !isOpen ? 'migrations' : state
    },
    missing,
    open: () => {
      isOpen = true
    },
    isOpen: () => isOpen,
    stop: () => {
      isStopping = true
    },
    isStopping: () => isStopping,
    close: () => database.close(),
  }
}
