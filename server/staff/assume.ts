import { uuidv7 } from 'uuidv7'
import type { assume as call } from '#contract/staff.ts'
import { logAccesses } from '../access-log.ts'
import { sessionEnded } from '../auth/read-caller.ts'
import {
  countAssumptions,
  insertSession,
  lockSessionWithOwn,
  findOpenAssumedSessions,
  revokeSessions,
  touchSession,
} from '../auth/session-store.ts'
import { signToken } from '../auth/token.ts'
import { findUserById } from '../auth/user-store.ts'
import { notFound } from '../http/failure.ts'
import type { UseCase } from '../http/route.ts'
import { redactPersonalData } from '../log.ts'
import { isUuid } from '#contract/uuid.ts'

/** Half an hour, whatever happens in it (decision 48). */
const lifetimeSeconds = 30 * 60

/**
 * Opens a session in which the staff member acts as a borrower. It stands on the staff member's own
 * session and never on another of its kind. A sign-in acts for one borrower at a time: whoever was
 * acted for before is left in the same transaction, whichever token asks (decisions 31, 63).
 *
 * @throws Failure NotFound for whoever is no borrower with an open account: staff, oneself, the
 * disabled, nobody.
 * @throws Failure AuthSessionExpired where the session that asks was ended by another request
 * meanwhile.
 */
export const assume: UseCase<typeof call> = async (context, { actorId, sessionId }, { body, origin }) => {
  const userId = body.user_id_to_assume.toLowerCase()
  if (!isUuid(userId)) throw notFound()
  const now = context.clock.now()
  const given = body.reason?.trim() || null
  const newSessionId = uuidv7()
  const opened = await context.database.asSystem(async (sql) => {
    const borrower = await findUserById(sql, userId)
    if (!borrower || borrower.kind !== 'borrower' || borrower.disabled_at) throw notFound()
    const reason = given && withoutPerson(given, borrower)
    const { session, own } = await lockSessionWithOwn(sql, actorId, sessionId)
    if (session.revoked_at || own.revoked_at || now >= own.expires_at) throw sessionEnded()
    const staff = await findUserById(sql, actorId)
    const left = await findOpenAssumedSessions(sql, actorId, own.session_id, now)
    if (left.length > 0)
      await revokeSessions(
        sql,
        actorId,
        left.map((one) => one.sessionId),
        now,
      )
    // Tokens count in whole seconds: session and token end at the same one.
    const endsAtMs = (Math.floor(now.getTime() / 1_000) + lifetimeSeconds) * 1_000
    const expiresAt = new Date(Math.min(endsAtMs, own.expires_at.getTime()))
    const assumed = { userId, parentSessionId: own.session_id, reason }
    await insertSession(sql, { ...origin, userId: actorId, sessionId: newSessionId, createdAt: now, expiresAt, assumed })
    await touchSession(sql, actorId, own.session_id, now)
    const lately = await countAssumptions(sql, actorId, new Date(now.getTime() - 3_600_000))
    const entry = { at: now, actorId, outcome: 'done' } as const
    await logAccesses(sql, [
      ...left.map((one) => ({
        ...entry,
        subjectId: one.borrowerId,
        action: 'assume_ended' as const,
        origin: { ...origin, sessionId: one.sessionId },
        detail: { session_id: one.sessionId },
      })),
      {
        ...entry,
        subjectId: userId,
        action: 'assume_started',
        origin: { ...origin, sessionId: newSessionId },
        detail: { reason: reason ?? 'not given', expires_at: expiresAt.toISOString() },
      },
    ])
    return { roles: staff?.roles ?? [], expiresAt, lately }
  })
  const { roles, expiresAt, lately } = opened
  if (lately > context.config.staff.assumesPerHourAlert || given === null)
    context.log.warn(
      { event: 'authz_admin_alert', actor: actorId, assumed_in_last_hour: lately, reason_given: given !== null },
      'staff act as borrowers in an unusual way',
    )
  const claims = { userId: actorId, sessionId: newSessionId, assumedUserId: userId, issuedAt: now, roles, expiresAt }
  return { token: await signToken(context.config.signIn.tokenKeys, claims), expires_at: expiresAt }
}

/**
 * The reason as the audit keeps it for good: without phone numbers, e-mail addresses, PANs and the
 * borrower's names.
 */
function withoutPerson(reason: string, { first_name, last_name }: { first_name: string; last_name: string }): string {
  const names = new Set([first_name, last_name].filter((name) => name.length >= 2).map((name) => name.toLowerCase()))
  return redactPersonalData(reason).replaceAll(/[\p{L}\p{M}]+/gu, (word) => (names.has(word.toLowerCase()) ? '[name]' : word))
}
