import { actOfOperation, staffActs, type readStaffAccess as call, type StaffAccess, type StaffAct } from '#contract/staff-access.ts'
import type { RowsOf } from '../database/statement.ts'
import { defineReading } from '../http/reading.ts'
import {
  accessesMax,
  assumptionActs,
  assumptionStarts,
  buildAssumptions,
  executedOperations,
  profileReads,
  type Assumption,
} from './staff-access-store.ts'

/**
 * Reads what staff did on behalf of the caller, and when they read the caller's profile: with role
 * and reason, without names.
 */
export const readStaffAccess = defineReading<typeof call>()(
  (borrowerId) => staffAccessReads(borrowerId),
  ({ clock }, _caller, _request, rows) => ({ staff_access: buildStaffAccess(rows, clock.now()) }),
)

/** The reads of {@link buildStaffAccess}. */
export const staffAccessReads = (borrowerId: string) =>
  [
    assumptionStarts.with({ borrowerId }),
    assumptionActs.with({ borrowerId }),
    profileReads.with({ borrowerId }),
    executedOperations.with({ borrowerId }),
  ] as const

type AccessRows = RowsOf<ReturnType<typeof staffAccessReads>>

/** Everything that staff did, newest first. */
export function buildStaffAccess([starts, acts, reads, operations]: AccessRows, now: Date): StaffAccess[] {
  const all: StaffAccess[] = [
    ...buildAssumptions(starts, acts).map((assumption) => assumptionOnWire(assumption, now)),
    ...reads.map(readOnWire),
    ...operations.map(operationOnWire),
  ]
  return all.toSorted((one, other) => other.started_at.getTime() - one.started_at.getTime()).slice(0, accessesMax)
}

type ProfileRead = AccessRows[2][number]
type Operation = AccessRows[3][number]

function operationOnWire({ kind, lan, amount_paise: amount, reason, decided_at: decidedAt }: Operation): StaffAccess {
  const at = decidedAt ?? new Date(0)
  return {
    kind: 'operation',
    started_at: at,
    ended_at: at,
    team: 'operations',
    reason,
    acts: [{ act: actOfOperation[kind], first_at: at, times: 1 }],
    ...(lan !== null && { lan }),
    ...(amount !== null && { amount }),
  }
}

function assumptionOnWire({ startedAt, endedAt, expiresAt, reason, acts }: Assumption, now: Date) {
  return {
    kind: 'assumed' as const,
    started_at: startedAt,
    ended_at: endedAt ?? (expiresAt <= now ? expiresAt : null),
    team: 'support' as const,
    reason: reason === 'not given' ? null : reason,
    acts: acts.flatMap(({ action, firstAt, times }) => (isStaffAct(action) ? [{ act: action, first_at: firstAt, times }] : [])),
  }
}

const readOnWire = ({ first_at: firstAt, last_at: lastAt, times, is_support: isSupport }: ProfileRead) => ({
  kind: 'profile_read' as const,
  started_at: firstAt,
  ended_at: lastAt,
  team: isSupport ? ('support' as const) : ('operations' as const),
  reason: null,
  acts: [{ act: 'profile_viewed' as const, first_at: firstAt, times: Number(times) }],
})

const isStaffAct = (action: string): action is StaffAct => (staffActs as readonly string[]).includes(action)
