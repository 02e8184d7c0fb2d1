import type { Database } from '#server/database/connect.ts'

/** A database on which all work fails with this error. */
export function failingDatabase(database: Database, error: Error): Database {
  const fail = () => Promise.reject(error)
  const work = { asBorrower: fail, asSystem: fail, asSnapshot: fail, findAvailable: fail }
  return { ...database, ...work, readAsBorrower: fail, readAsSystem: fail, readAsSession: fail }
}
