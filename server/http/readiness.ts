import type { Config } from '../config/config.ts'
import { connect } from '../database/connect.ts'
import { missingSchema } from './missing-schema.ts'

/** Whether this process should be sent requests; anything but `ready` says why not. `migrations`: the schema is behind this version. */
export type ReadyState = 'ready' | 'stopping' | 'database' | 'migrations'

export type Readiness = {
  /** Asks the database at most once in {@link keptMs}, however many ask. */
  state(): Promise<ReadyState>
  /** What the database lacks of the schema of this version: names of migrations and of job tables. */
  missing(): Promise<string[]>
  /** From now on requests may be served: the schema was there once. */
  open(): void
  isOpen(): boolean
  /** From now on this process is not ready, whatever the database says. */
  stop(): void
  isStopping(): boolean
  close(): Promise<void>
}

const keptMs = 500
const socketTimeoutMs = 2_000

/** Has a connection of its own: that all others are busy is no reason to take this process away from those that wait. */
export function createReadiness(databaseUrl: string, limits: Config['database']): Readiness {
  const database = connect(databaseUrl, {
    connectionsMax: 1,
    connectTimeoutMs: Math.min(limits.connectTimeoutMs, socketTimeoutMs),
    statementTimeoutMs: socketTimeoutMs,
  })
  let isStopping = false
  let isOpen = false
  let last: { at: number; state: Promise<ReadyState> } | null = null

  const missing = () => database.asSystem(missingSchema)
  const look = async (): Promise<ReadyState> => {
    try {
      return (await missing()).length === 0 ? 'ready' : 'migrations'
    } catch {
      // Told by the answer itself; what is wrong with the database is in the log of the requests that needed it.
      return 'database'
    }
  }
  return {
    state: async () => {
      if (isStopping) return 'stopping'
      const now = performance.now()
      if (!last || now - last.at > keptMs) last = { at: now, state: look() }
      const state = await last.state
      // While it is not open, the job queue and the loops are still to be started.
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
