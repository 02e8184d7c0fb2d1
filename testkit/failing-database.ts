import type { Database } from '#server/database/connect.ts'

/** A database on which all work fails with this error. */
export function failingDatabase(database: Database, error: Error): Database {
  const fail = () => Promise.reject(error)
  return { ...database, asBorrower: fail, asSystem: fail, asSnapshot: fail, readAsBorrower: fail, readAsSystem: fail, readAsSession: fail }
}
