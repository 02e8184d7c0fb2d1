import { hash } from 'node:crypto'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import { isPreparedStatementError } from './pipeline.ts'

/**
 * A pool whose statements are prepared under names, so that PostgreSQL parses and plans each once
 * per connection: that takes longer than running a small statement. For transactions of one
 * borrower, whose statements find their rows by the borrower's key, so that one plan fits all.
 */
export function withNamedStatements(pool: pg.Pool): PostgresPool {
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  const nameOf = createNames()
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => {
      const client = await pool.connect()
      const known = clients.get(client)
      if (known) return known
      try {
        const named = await wrap(client, nameOf)
        clients.set(client, named)
        return named
      } catch (error) {
        client.release(true)
        throw error
      }
    },
  }
}

async function wrap(client: pg.PoolClient, nameOf: (text: string) => string | null): Promise<PostgresPoolClient> {
  const isDirect = await reachesOneBackend(client)
  let hasBrokenName = false
  return {
    // A name that no longer works would fail on this connection again.
    release: (destroy) => client.release(destroy || hasBrokenName),
    query: (async (text: string, values: unknown[]) => {
      const name = isDirect && values.length > 0 ? nameOf(text) : null
      if (name === null) return client.query(text, values)
      try {
        return await client.query({ name, text, values })
      } catch (error) {
        hasBrokenName ||= isPreparedStatementError(error)
        throw error
      }
    }) as unknown as PostgresPoolClient['query'],
  }
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
    // Another prefix than that of pipelines, which prepare their statements themselves.
    const name = `kist_t_${hash('sha256', text, 'hex').slice(0, 24)}`
    names.set(text, name)
    return name
  }
}
