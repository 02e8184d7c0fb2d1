import { staffActs, type readStaffAccess as call, type StaffAct } from '#contract/staff.ts'
import type { UseCase } from '../http/route.ts'
import { requireBorrower } from '../loans/own-loan.ts'
import { findAssumptions, findProfileReads, type Assumption, type ProfileRead } from './staff-access-store.ts'

const entriesMax = 100

/**
 * Reads what staff did on behalf of the caller, and when they read the caller's profile: with role
 * and reason, without names.
 */
export const readStaffAccess: UseCase<typeof call> = async ({ clock, database }, caller) => {
  const borrowerId = requireBorrower(caller)
  const now = clock.now()
  const { assumptions, reads } = await database.asBorrower(borrowerId, async (sql) => ({
    assumptions: await findAssumptions(sql, borrowerId, entriesMax),
    reads: await findProfileReads(sql, borrowerId, entriesMax),
  }))
  const all = [...assumptions.map((assumption) => onWire(assumption, now)), ...reads.map(readOnWire)]
  const newestFirst = all.toSorted((one, other) => other.started_at.getTime() - one.started_at.getTime())
  return { staff_access: newestFirst.slice(0, entriesMax) }
}

function onWire({ startedAt, endedAt, expiresAt, reason, acts }: Assumption, now: Date) {
  return {
    kind: 'assumed' as const,
    started_at: startedAt,
    ended_at: endedAt ?? (expiresAt <= now ? expiresAt : null),
    team: 'support' as const,
    reason: reason === 'not given' ? null : reason,
    acts: acts.flatMap(({ action, firstAt, times }) => (isStaffAct(action) ? [{ act: action, first_at: firstAt, times }] : [])),
  }
}

const readOnWire = ({ firstAt, lastAt, times }: ProfileRead) => ({
  kind: 'profile_read' as const,
  started_at: firstAt,
  ended_at: lastAt,
  team: 'support' as const,
  reason: null,
  acts: [{ act: 'profile_viewed' as const, first_at: firstAt, times }],
})

const isStaffAct = (action: string): action is StaffAct => (staffActs as readonly string[]).includes(action)
