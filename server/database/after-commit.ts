import type { Sql } from './connect.ts'

/** Callbacks that wait for the commit of each open transaction. */
const waiting = new WeakMap<Sql, (() => void)[]>()

/**
 * Calls `callback` after the commit; never after a rollback. The callback must not throw, and its
 * result is not awaited.
 */
export function afterCommit(sql: Sql, callback: () => void): void {
  const callbacks = waiting.get(sql)
  if (callbacks === undefined) throw new Error('afterCommit was called outside a transaction of Database')
  callbacks.push(callback)
}

/**
 * Runs one transaction and then the callbacks that wait for its commit.
 *
 * @param execute runs the transaction: begin, the given work, commit.
 */
export function withAfterCommit<T>(execute: (work: (sql: Sql) => Promise<T>) => Promise<T>, work: (sql: Sql) => Promise<T>): Promise<T> {
  const callbacks: (() => void)[] = []
  const committed = execute((sql) => {
    waiting.set(sql, callbacks)
    return work(sql)
  })
  const notify = (result: T): T => {
    for (const callback of callbacks) callback()
    return result
  }
  return committed.then(notify)
}
