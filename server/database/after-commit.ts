import type { Sql } from './connect.ts'

/** What waits for the commit of each open transaction. */
const waiting = new WeakMap<Sql, (() => void)[]>()

/** Calls `callback` once the transaction is committed; never, when it is rolled back. The callback must not throw, and nobody waits for it. */
export function afterCommit(sql: Sql, callback: () => void): void {
  const callbacks = waiting.get(sql)
  if (callbacks === undefined) throw new Error('afterCommit was called outside of a transaction of Database')
  callbacks.push(callback)
}

/**
 * Runs one transaction and then what waits for its commit.
 *
 * @param execute runs the transaction: begin, the given work, commit.
 */
export async function withAfterCommit<T>(
  execute: (work: (sql: Sql) => Promise<T>) => Promise<T>,
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  const callbacks: (() => void)[] = []
  const result = await execute((sql) => {
    waiting.set(sql, callbacks)
    return work(sql)
  })
  for (const callback of callbacks) callback()
  return result
}
