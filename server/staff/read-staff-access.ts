import { staffActs, type readStaffAccess as call, type StaffAct } from '#contract/staff.ts'
import { defineReading } from '../http/reading.ts'
import { accessesMax, assumptionActs, assumptionStarts, buildAssumptions, profileReads, type Assumption } from './staff-access-store.ts'

/**
 * Reads what staff did on behalf of the caller, and when they read the caller's profile: with role
 * and reason, without names.
 */
export const readStaffAccess = defineReading<typeof call>()(
  (borrowerId) => [assumptionStarts.with({ borrowerId }), assumptionActs.with({ borrowerId }), profileReads.with({ borrowerId })],
  ({ clock }, _caller, _request, [starts, acts, reads]) => {
    const now = clock.now()
    const all = [...buildAssumptions(starts, acts).map((assumption) => onWire(assumption, now)), ...reads.map(readOnWire)]
    const newestFirst = all.toSorted((one, other) => other.started_at.getTime() - one.started_at.getTime())
    return { staff_access: newestFirst.slice(0, accessesMax) }
  },
)

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

const readOnWire = ({ first_at: firstAt, last_at: lastAt, times }: { first_at: Date; last_at: Date; times: number | string | bigint }) => ({
  kind: 'profile_read' as const,
  started_at: firstAt,
  ended_at: lastAt,
  team: 'support' as const,
  reason: null,
  acts: [{ act: 'profile_viewed' as const, first_at: firstAt, times: Number(times) }],
})

const isStaffAct = (action: string): action is StaffAct => (staffActs as readonly string[]).includes(action)
