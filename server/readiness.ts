import type { Config } from './config.ts'
import { connect } from './database/connect.ts'
import { migrationNames } from './database/migrate.ts'

/** Whether this process should be sent requests; anything but `ready` says why not. */
export type ReadyState = 'ready' | 'stopping' | 'database' | 'migrations'

export type Readiness = {
  /** Asks the database at most once in {@link keptMs}, however many ask. */
  state(): Promise<ReadyState>
  /** From now on this process is not ready, whatever the database says. */
  stop(): void
  isStopping(): boolean
  close(): Promise<void>
}

const keptMs = 500
const patienceMs = 2_000

/** Has a connection of its own: that all others are busy is no reason to take this process away from those that wait. */
export function createReadiness(databaseUrl: string, limits: Config['database']): Readiness {
  const database = connect(databaseUrl, {
    connectionsMax: 1,
    connectTimeoutMs: Math.min(limits.connectTimeoutMs, patienceMs),
    statementTimeoutMs: patienceMs,
  })
  const names = migrationNames()
  let isStopping = false
  let last: { at: number; state: Promise<ReadyState> } | null = null

  const look = async (): Promise<ReadyState> => {
    try {
      const ran = await database.asSystem((sql) => sql.selectFrom('schema_migrations').select('name').execute())
      const done = new Set(ran.map(({ name }) => name))
      return names.every((name) => done.has(name)) ? 'ready' : 'migrations'
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
      return isStopping ? 'stopping' : state
    },
    stop: () => {
      isStopping = true
    },
    isStopping: () => isStopping,
    close: () => database.close(),
  }
}
