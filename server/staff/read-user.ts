import type { readUser as call } from '#contract/users.ts'
import { hourMs } from '#domain/durations.ts'
import { logAccess } from '../access-log.ts'
import { borrowerForStaff, findUsersByIds, nameOf, userOnWire } from '../auth/user-store.ts'
import type { Context } from '../context.ts'
import { isAssuming } from '../caller.ts'
import { notFound } from '../http/failure.ts'
import type { UseCase } from '../http/route.ts'
import { countProfilesRead } from './staff-access-store.ts'
import { isUuid } from '#contract/uuid.ts'

/** Reading more borrower profiles than this per hour raises an alert (decision 62). */
const profilesPerHourMax = 60

/**
 * Reads the caller's own profile, or, for staff, a borrower's; anyone else is not found (decisions
 * 10, 31). Staff who do not act for the borrower read the PAN as in lists (decision 61). A staff
 * read is an entry in that borrower's access log with the reader's name, whoever the staff member
 * acts for (decision 62).
 */
export const readUser: UseCase<typeof call> = async (context, caller, { params, origin }) => {
  const { actorId, isStaff } = caller
  const userId = params.user_id.toLowerCase()
  const isSelf = userId === actorId
  if (!isUuid(userId) || !(isSelf || isStaff)) throw notFound()
  const now = context.clock.now()
  const user = await context.database.asSystem(async (sql) => {
    const found = await findUsersByIds(sql, isSelf ? [userId] : [userId, actorId])
    const shown = found.find((one) => one.user_id === userId && (isSelf || one.kind === 'borrower'))
    const reader = found.find((one) => one.user_id === actorId)
    const entry = { at: now, actorId, origin } as const
    const detail = { call: 'readUser' }
    if (shown && !isSelf) {
      if (!reader) throw new Error(`There is no user ${actorId}`)
      await logAccess(sql, {
        ...entry,
        subjectId: shown.user_id,
        action: 'profile_viewed',
        outcome: 'done',
        detail: { ...detail, reader: nameOf(reader) },
      })
    } else if (isAssuming(caller))
      await logAccess(sql, { ...entry, subjectId: actorId, action: 'staff_request', outcome: shown ? 'done' : 'refused', detail })
    return shown
  })
  if (!user) throw notFound()
  if (!isSelf) await alertOfManyReads(context, actorId, now)
  return { user: isSelf || userId === caller.borrowerId ? userOnWire(user) : borrowerForStaff(user, context.config.staff) }
}

/** Raises an alert if a staff member reads many profiles (decision 62). */
export async function alertOfManyReads({ database, log }: Context, actorId: string, now: Date): Promise<void> {
  const profiles = await database.asSystem((sql) => countProfilesRead(sql, actorId, new Date(now.getTime() - hourMs)))
  if (profiles > profilesPerHourMax)
    log.warn(
      { event: 'authz_admin_alert', actor: actorId, profiles_read_in_last_hour: profiles },
      'unusual number of profiles read by staff',
    )
}
