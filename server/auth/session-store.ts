import { sql as raw, type QueryCreator } from 'kysely'
import { assumeRole } from '#contract/permissions.ts'
import type { Sql } from '../database/connect.ts'
import type { DB } from '../database/schema.generated.ts'
import { statement } from '../database/statement.ts'

type NewSession = {
  userId: string
  sessionId: string
  createdAt: Date
  expiresAt: Date
  remoteAddress: string
  userAgent: string
  /** The device that signed in; none while assuming. */
  deviceHash?: Buffer
  /** If staff act as a borrower: which one, from which session, and why. */
  assumed?: { userId: string; parentSessionId: string; reason: string | null }
}

export async function insertSession(sql: Sql, session: NewSession): Promise<void> {
  await sql
    .insertInto('sessions')
    .values({
      user_id: session.userId,
      session_id: session.sessionId,
      created_at: session.createdAt,
      expires_at: session.expiresAt,
      last_seen_at: session.createdAt,
      remote_address: session.remoteAddress,
      user_agent: session.userAgent,
      device_hash: session.deviceHash ?? null,
      assumed_user_id: session.assumed?.userId ?? null,
      parent_session_id: session.assumed?.parentSessionId ?? null,
      reason: session.assumed?.reason ?? null,
    })
    .execute()
}

/** A session with its owner and, while assuming, the parent session: all rows of one person. */
const joinOwnRows = (sql: QueryCreator<DB>, userId: string, sessionId: string) =>
  sql
    .selectFrom('sessions')
    .innerJoin('users as owner', 'owner.user_id', 'sessions.user_id')
    // A limit, so that PostgreSQL looks for this one session: joined, it reads all of the person.
    .leftJoinLateral(
      (from) =>
        from
          .selectFrom('sessions as assuming')
          .select(['assuming.expires_at', 'assuming.revoked_at'])
          .where('assuming.user_id', '=', userId)
          .whereRef('assuming.session_id', '=', 'sessions.parent_session_id')
          .limit(1)
          .as('parent'),
      (join) => join.onTrue(),
    )
    .select([
      'sessions.assumed_user_id',
      'sessions.expires_at',
      'sessions.last_seen_at',
      'sessions.revoked_at',
      'owner.kind',
      'owner.roles',
      'owner.permissions',
      'owner.disabled_at',
      'parent.expires_at as parent_expires_at',
      'parent.revoked_at as parent_revoked_at',
    ])
    .where('sessions.user_id', '=', userId)
    .where('sessions.session_id', '=', sessionId)

/** The same with the borrower for whom the session acts. */
const joinSession = (sql: QueryCreator<DB>, userId: string, sessionId: string) =>
  joinOwnRows(sql, userId, sessionId)
    .leftJoin('users as assumed', 'assumed.user_id', 'sessions.assumed_user_id')
    .select(['assumed.kind as assumed_kind', 'assumed.permissions as assumed_permissions', 'assumed.disabled_at as assumed_disabled_at'])

export type SessionRow = Awaited<ReturnType<ReturnType<typeof joinSession>['executeTakeFirstOrThrow']>>

/** Reads a session: one indexed query per request. */
export const findSession = (sql: Sql, userId: string, sessionId: string): Promise<SessionRow | undefined> =>
  joinSession(sql, userId, sessionId).executeTakeFirst()

/**
 * The same on distributed tables: the borrower for whom the session acts is read by itself, because
 * that row may be on another node.
 */
export async function findDistributedSession(sql: Sql, userId: string, sessionId: string): Promise<SessionRow | undefined> {
  const session = await joinOwnRows(sql, userId, sessionId).executeTakeFirst()
  if (!session || session.assumed_user_id === null) return session && { ...ofNobody, ...session }
  const assumed = await sql
    .selectFrom('users')
    .select(['kind as assumed_kind', 'permissions as assumed_permissions', 'disabled_at as assumed_disabled_at'])
    .where('user_id', '=', session.assumed_user_id)
    .executeTakeFirst()
  return { ...ofNobody, ...session, ...assumed }
}

/** What a session lacks that acts for nobody. */
export const ofNobody = {
  assumed_kind: null,
  assumed_permissions: null,
  assumed_disabled_at: null,
  parent_expires_at: null,
  parent_revoked_at: null,
}

/** A session by itself. */
export const ownSession = statement<{ userId: string; sessionId: string }>()((sql, { userId, sessionId }) =>
  sql
    .selectFrom('sessions')
    .select(['assumed_user_id', 'expires_at', 'last_seen_at', 'revoked_at'])
    .where('user_id', '=', userId)
    .where('session_id', '=', sessionId),
)

/** The person whose session it is. */
export const sessionOwner = statement<{ userId: string }>()((sql, { userId }) =>
  sql.selectFrom('users').select(['kind', 'roles', 'permissions', 'disabled_at']).where('user_id', '=', userId),
)

/**
 * The first statement of `readAsSession`: a session, as {@link findSession} reads it. It always
 * returns one row, without values if there is no such session. It starts with system access and,
 * while it returns the row, limits the later statements to what the session may reach; a session
 * that is not open reaches nothing. The conditions repeat `isAlive` of read-caller.ts, which
 * compares the two. The session is joined laterally to the row that opens the access, because
 * row-level security would hide it before.
 *
 * `scope`, as in contract/access.ts: `borrower` reaches the rows of the session's own or assumed
 * borrower; `self` and `staff` reach all rows, `staff` only with the role. `seenSince`: a session
 * last seen earlier has ended. `timeoutMs` applies to the later statements; this one waits for no
 * lock.
 */
export const sessionAccess = statement<{
  userId: string
  sessionId: string
  scope: string
  now: Date
  seenSince: Date
  timeoutMs: string
}>()((sql, { userId, sessionId, scope, now, seenSince, timeoutMs }) =>
  sql
    .selectFrom(
      raw<{ system: string }>`(select set_config('app.borrower_id', '', true), set_config('app.system', 'on', true) as system,
          set_config('statement_timeout', ${timeoutMs}, true))`.as('opening'),
    )
    .leftJoinLateral(
      () =>
        joinSession(sql, userId, sessionId)
          .where(raw<boolean>`opening.system = 'on'`)
          .as('session'),
      (join) => join.onTrue(),
    )
    .selectAll('session')
    .select(({ ref }) => {
      const isStaff = raw`(${ref('session.kind')} = 'staff' and ${assumeRole} = any (${ref('session.roles')}))`
      const isOpen = raw`(${ref('session.revoked_at')} is null and ${ref('session.disabled_at')} is null
          and ${ref('session.expires_at')} > ${now}::timestamptz and ${ref('session.last_seen_at')} >= ${seenSince}::timestamptz
          and (${ref('session.assumed_user_id')} is null or (${isStaff} and 'user:assume' = any (${ref('session.permissions')})
            and ${ref('session.assumed_kind')} = 'borrower' and ${ref('session.assumed_disabled_at')} is null
            and ${ref('session.parent_expires_at')} > ${now}::timestamptz and ${ref('session.parent_revoked_at')} is null)))`
      const borrower = raw`coalesce(${ref('session.assumed_user_id')}, case when ${ref('session.kind')} = 'borrower' then ${userId}::uuid end)`
      return [
        raw<string>`set_config('app.borrower_id', case when ${isOpen} and ${scope} = 'borrower' then coalesce(${borrower}::text, '') else '' end, true)`.as(
          'reached_borrower',
        ),
        raw<string>`set_config('app.system', case when ${isOpen} and (${scope} = 'self' or ${scope} = 'staff' and ${isStaff}) then 'on' else 'off' end, true)`.as(
          'reached_system',
        ),
      ]
    }),
)

export async function touchSession(sql: Sql, userId: string, sessionId: string, now: Date): Promise<void> {
  await sql.updateTable('sessions').set({ last_seen_at: now }).where('user_id', '=', userId).where('session_id', '=', sessionId).execute()
}

/**
 * Revokes the open ones among these sessions of a person.
 *
 * @returns the number of revoked sessions.
 */
export async function revokeSessions(sql: Sql, userId: string, sessionIds: readonly string[], now: Date): Promise<number> {
  const { numUpdatedRows } = await sql
    .updateTable('sessions')
    .set({ revoked_at: now })
    .where('user_id', '=', userId)
    .where('session_id', 'in', sessionIds)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

/**
 * Locks a session and, if it acts for a borrower, the staff member's own session. The own session
 * is always locked first, so that changes to the sessions of one sign-in run one after the other.
 *
 * @returns both as read under the lock; equal if the session acts for nobody.
 */
export async function lockSessionWithOwn(
  sql: Sql,
  userId: string,
  sessionId: string,
): Promise<{ session: LockedSession; own: LockedSession }> {
  // The parent never changes, so it may be read before the locks are taken.
  const { parent_session_id: ownId } = await sql
    .selectFrom('sessions')
    .select('parent_session_id')
    .where('user_id', '=', userId)
    .where('session_id', '=', sessionId)
    .executeTakeFirstOrThrow()
  const own = await lockSession(sql, userId, ownId ?? sessionId)
  return { own, session: ownId === null ? own : await lockSession(sql, userId, sessionId) }
}

type LockedSession = Awaited<ReturnType<typeof lockSession>>

function lockSession(sql: Sql, userId: string, sessionId: string) {
  return sql
    .selectFrom('sessions')
    .select(['session_id', 'assumed_user_id', 'parent_session_id', 'created_at', 'expires_at', 'revoked_at'])
    .where('user_id', '=', userId)
    .where('session_id', '=', sessionId)
    .forUpdate()
    .executeTakeFirstOrThrow()
}

/** Sessions that act for a borrower: all of a person, those of some sign-ins, or one. */
export type AssumedSessions = { userId: string } & (
  | { of: 'person' }
  | { of: 'signIns'; ids: readonly string[] }
  | { of: 'session'; id: string }
)

/** Locks the open ones among these sessions. */
export async function lockAssumedSessions(
  sql: Sql,
  which: AssumedSessions,
  now: Date,
): Promise<{ sessionId: string; borrowerId: string }[]> {
  let query = sql
    .selectFrom('sessions')
    .select(['session_id as sessionId', 'assumed_user_id as borrowerId'])
    .where('user_id', '=', which.userId)
    .where('assumed_user_id', 'is not', null)
    .$narrowType<{ borrowerId: string }>()
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
  if (which.of === 'signIns') query = query.where('parent_session_id', 'in', which.ids)
  if (which.of === 'session') query = query.where('session_id', '=', which.id)
  return query.orderBy('session_id').forUpdate().execute()
}

/** Locks every open session of a person. */
export async function lockOpenSessions(sql: Sql, userId: string): Promise<string[]> {
  // Ids ascend with time, so a sign-in is locked before the sessions that depend on it.
  const open = await sql
    .selectFrom('sessions')
    .select('session_id')
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .orderBy('session_id')
    .forUpdate()
    .execute()
  return open.map(({ session_id }) => session_id)
}

/**
 * A person's open sessions, newest first, without those that act as a borrower. `seenSince`: a
 * session last seen earlier has ended.
 */
export const openSessions = statement<{ userId: string; now: Date; seenSince: Date }>()((sql, { userId, now, seenSince }) =>
  sql
    .selectFrom('sessions')
    .select(['session_id', 'created_at', 'last_seen_at', 'user_agent'])
    .where('user_id', '=', userId)
    .where('assumed_user_id', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .where('last_seen_at', '>=', seenSince)
    .orderBy('created_at', 'desc')
    .orderBy('session_id', 'desc')
    .limit(100),
)

/** Counts how often a staff member started to act as a borrower since a time. */
export async function countAssumptions(sql: Sql, userId: string, since: Date): Promise<number> {
  const { count } = await sql
    .selectFrom('sessions')
    .select(({ fn }) => fn.countAll<bigint>().as('count'))
    .where('user_id', '=', userId)
    .where('assumed_user_id', 'is not', null)
    .where('created_at', '>', since)
    .executeTakeFirstOrThrow()
  return Number(count)
}
