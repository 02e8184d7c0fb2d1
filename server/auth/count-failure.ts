import { logAccess } from '../access-log.ts'
import type { Origin } from '../caller.ts'
import type { Sql } from '../database/connect.ts'
import { lockAfter } from './sign-in-limits.ts'
import { saveFailures, type LockedOwner } from './sign-in-store.ts'

/** Counts a wrong code of a person, locks the device after too many, and logs both. */
export async function countFailure(sql: Sql, owner: LockedOwner, { origin, now }: { origin: Origin; now: Date }): Promise<void> {
  const failures = owner.failures + 1
  const lockedUntil = lockAfter(failures, now)
  const entry = { at: now, subjectId: owner.userId, actorId: owner.userId, origin, outcome: 'refused', detail: { failures } } as const
  await saveFailures(sql, owner, failures, lockedUntil)
  await logAccess(sql, { ...entry, action: 'sign_in' })
  if (lockedUntil) await logAccess(sql, { ...entry, action: 'sign_in_lock', detail: { failures, until: lockedUntil.toISOString() } })
}
