import { staffActs, type readStaffAccess as call, type StaffAct } from '#contract/staff.ts'
import type { UseCase } from '../http/route.ts'
import { borrowerOf } from '../loans/own-loan.ts'
import { assumptionsOf, type Assumption } from './staff-access-store.ts'

const shownMax = 100

/** What staff did in the caller's name: told by role and reason, never by name. */
export const readStaffAccess: UseCase<typeof call> = async ({ clock, database }, caller) => {
  const borrowerId = borrowerOf(caller)
  const now = clock.now()
  const assumptions = await database.asBorrower(borrowerId, (sql) => assumptionsOf(sql, borrowerId, shownMax))
  return { staff_access: assumptions.map((assumption) => onWire(assumption, now)) }
}

function onWire({ startedAt, endedAt, expiresAt, reason, acts }: Assumption, now: Date) {
  return {
    started_at: startedAt,
    ended_at: endedAt ?? (expiresAt <= now ? expiresAt : null),
    team: 'support' as const,
    reason: reason === 'not given' ? null : reason,
    acts: acts.flatMap(({ action, firstAt, times }) => (isStaffAct(action) ? [{ act: action, first_at: firstAt, times }] : [])),
  }
}

const isStaffAct = (action: string): action is StaffAct => (staffActs as readonly string[]).includes(action)
