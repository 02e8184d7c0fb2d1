import { findUserIdByPhone } from '#server/auth/user-store.ts'
import type { Database } from '#server/database/connect.ts'

/** The id of the person with a phone. @throws if nobody has it. */
export async function findPersonId(database: Database, phone: string): Promise<string> {
  const userId = await database.asSystem((sql) => findUserIdByPhone(sql, phone))
  if (userId === undefined) throw new Error(`Nobody has the phone ${phone}`)
  return userId
}
