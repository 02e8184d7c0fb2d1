import { uuidv7 } from 'uuidv7'
import type { assume as call } from '#contract/users.ts'
import { hourMs } from '#domain/durations.ts'
import { logAccesses } from '../access-log.ts'
import { addNotice } from '../add-notice.ts'
import { endAssumedSessions } from '../auth/end-sessions.ts'
import { lockOpenSessionWithOwn } from '../auth/read-caller.ts'
import { countAssumptions, insertSession, touchSession } from '../auth/session-store.ts'
import { expiryAfter, signToken } from '../auth/token.ts'
import { findUserById } from '../auth/user-store.ts'
import { notFound } from '../http/failure.ts'
import type { UseCase } from '../http/route.ts'
import { redactPersonalData } from '../log.ts'
import { isUuid } from '#contract/uuid.ts'

/** The fixed lifetime of an assumed session, half an hour (decision 48). */
const lifetimeSeconds = 30 * 60

/**
 * Starts a session in which the staff member acts as a borrower. It depends on the staff member's
 * own session, never on another assumed one. A sign-in acts for one borrower at a time: earlier
 * assumed sessions end in the same transaction (decisions 31, 63).
 *
 * @throws Failure NotFound unless the user is an enabled borrower.
 * @throws Failure AuthSessionExpired if another request ended the calling session meanwhile.
 */
export const assume: UseCase<typeof call> = async (context, { actorId, sessionId }, { body, origin }) => {
  const userId = body.user_id_to_assume.toLowerCase()
  if (!isUuid(userId)) throw notFound()
  const given = body.reason?.trim() || null
  const newSessionId = uuidv7()
  const started = await context.database.asSystem(async (sql) => {
    const borrower = await findUserById(sql, userId)
    if (!borrower || borrower.kind !== 'borrower' || borrower.disabled_at) throw notFound()
    const reason = given && redactReason(given, borrower)
    const { own, now } = await lockOpenSessionWithOwn(context, sql, { actorId, sessionId })
    const staff = await findUserById(sql, actorId)
    const ended = await endAssumedSessions(sql, { userId: actorId, of: 'signIns', ids: [own.session_id] }, { at: now, origin })
    const expiresAt = new Date(Math.min(expiryAfter(now, lifetimeSeconds).getTime(), own.expires_at.getTime()))
    const assumed = { userId, parentSessionId: own.session_id, reason }
    await insertSession(sql, { ...origin, userId: actorId, sessionId: newSessionId, createdAt: now, expiresAt, assumed })
    await touchSession(sql, actorId, own.session_id, now)
    const assumedInLastHour = await countAssumptions(sql, actorId, new Date(now.getTime() - hourMs))
    await logAccesses(sql, [
      ...ended,
      {
        at: now,
        subjectId: userId,
        actorId,
        action: 'assume_started',
        outcome: 'done',
        origin: { ...origin, sessionId: newSessionId },
        detail: { reason: reason ?? 'not given', expires_at: expiresAt.toISOString() },
      },
    ])
    const about = `staff_assumed:${newSessionId}`
    await addNotice(sql, { borrowerId: userId, about, kind: 'staff_assumed', ...(reason !== null && { subject: reason }) }, now)
    return { roles: staff?.roles ?? [], issuedAt: now, expiresAt, assumedInLastHour }
  })
  const { roles, issuedAt, expiresAt, assumedInLastHour } = started
  if (assumedInLastHour > context.config.staff.assumesPerHourAlert || given === null)
    context.log.warn(
      { event: 'authz_admin_alert', actor: actorId, assumed_in_last_hour: assumedInLastHour, reason_given: given !== null },
      'unusual number of assumed sessions, or no reason given',
    )
  const claims = { userId: actorId, sessionId: newSessionId, assumedUserId: userId, issuedAt, roles, expiresAt }
  return { token: await signToken(context.config.signIn.tokenKeys, claims), expires_at: expiresAt }
}

/**
 * Removes phone numbers, e-mail addresses, UPI IDs, PANs and the borrower's names from a reason,
 * because the audit stores it permanently.
 */
export function redactReason(reason: string, { first_name, last_name }: { first_name: string; last_name: string }): string {
  // A name can have several words.
  const words = `${first_name} ${last_name}`.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? []
  const names = new Set(words.filter((word) => word.length >= 2))
  return redactPersonalData(reason).replaceAll(/[\p{L}\p{M}]+/gu, (word) => (names.has(word.toLowerCase()) ? '[name]' : word))
}
