import { uuidv7 } from 'uuidv7'
import type { assume as call } from '#contract/staff.ts'
import { logAccess } from '../access-log.ts'
import { countAssumptions, insertSession, lockSession, revokeSessions, touchSession } from '../auth/session-store.ts'
import { signToken } from '../auth/token.ts'
import { findUserById } from '../auth/user-store.ts'
import { notFound } from '../http/failure.ts'
import type { UseCase } from '../http/route.ts'
import { isUuid } from './uuid.ts'

/** Half an hour, whatever happens in it (decision 48). */
const lifetimeSeconds = 30 * 60

/**
 * Opens a session in which the staff member acts as a borrower. It stands on the staff member's own session and never on
 * another of its kind: asked for with an assumed token, it takes that one's place (decision 31).
 *
 * @throws Failure NotFound for whoever is no borrower with an open account: staff, oneself, the disabled, nobody.
 */
export const assume: UseCase<typeof call> = async (context, { actorId, sessionId }, { body, origin }) => {
  const userId = body.user_id_to_assume.toLowerCase()
  if (!isUuid(userId)) throw notFound()
  const now = context.clock.now()
  const reason = body.reason?.trim() || null
  const newSessionId = uuidv7()
  const opened = await context.database.asSystem(async (sql) => {
    const borrower = await findUserById(sql, userId)
    if (!borrower || borrower.kind !== 'borrower' || borrower.disabled_at) throw notFound()
    const current = await lockSession(sql, actorId, sessionId)
    const parentSessionId = current.parent_session_id ?? current.session_id
    const parent = await lockSession(sql, actorId, parentSessionId)
    const staff = await findUserById(sql, actorId)
    const entry = { at: now, actorId, outcome: 'done' } as const
    if (current.assumed_user_id !== null) {
      await revokeSessions(sql, actorId, [sessionId], now)
      await logAccess(sql, {
        ...entry,
        subjectId: current.assumed_user_id,
        action: 'assume_ended',
        origin,
        detail: { session_id: sessionId },
      })
    }
    // Tokens count in whole seconds: session and token end at the same one.
    const endsAtMs = (Math.floor(now.getTime() / 1_000) + lifetimeSeconds) * 1_000
    const expiresAt = new Date(Math.min(endsAtMs, parent.expires_at.getTime()))
    const assumed = { userId, parentSessionId, reason }
    await insertSession(sql, { ...origin, userId: actorId, sessionId: newSessionId, createdAt: now, expiresAt, assumed })
    await touchSession(sql, actorId, parentSessionId, now)
    await logAccess(sql, {
      ...entry,
      subjectId: userId,
      action: 'assume_started',
      origin: { ...origin, sessionId: newSessionId },
      detail: { reason: reason ?? 'not given', expires_at: expiresAt.toISOString() },
    })
    const lately = await countAssumptions(sql, actorId, new Date(now.getTime() - 3_600_000))
    return { roles: staff?.roles ?? [], expiresAt, lately }
  })
  const { roles, expiresAt, lately } = opened
  if (lately > context.config.staff.assumesPerHourAlert || reason === null)
    context.log.warn(
      { event: 'authz_admin_alert', actor: actorId, assumed_in_last_hour: lately, reason_given: reason !== null },
      'staff act as borrowers in an unusual way',
    )
  const claims = { userId: actorId, sessionId: newSessionId, assumedUserId: userId, issuedAt: now, roles, expiresAt }
  return { token: await signToken(context.config.signIn.tokenKeys, claims), expires_at: expiresAt }
}
