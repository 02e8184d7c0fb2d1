import { assumeRole, permissions as allPermissions, type Permission, mandatePermissions, viewPermissions } from '#contract/permissions.ts'
import { minuteMs } from '#domain/durations.ts'
import type { Config } from '../config/config.ts'
import type { CallerReader, Context } from '../context.ts'
import { withinTransaction, type Sql } from '../database/connect.ts'
import type { Row } from '../database/pipeline.ts'
import type { Bound } from '../database/statement.ts'
import type { Caller } from '../caller.ts'
import { Failure } from '../http/failure.ts'
import { revokeAllSessions, revokeAssumedSession } from './end-sessions.ts'
import {
  findDistributedSession,
  findSession,
  lockSessionWithOwn,
  ofNobody,
  ownSession,
  sessionAccess,
  sessionOwner,
  touchSession,
  type SessionRow,
} from './session-store.ts'
import { verifyToken } from './token.ts'

/** A session ends after this time without a request (decision 48). */
export const idleMsMax = 30 * minuteMs
/**
 * `last_seen_at` is updated at most this often, because each update is a write: a session can end
 * this much before its half hour.
 */
const touchIntervalMs = 10_000

/**
 * Reads the caller of a request. The token only names a session; the database decides each time
 * whether the session is open and what it may do, so that sign-out, disabling and a lost role apply
 * to the next request (decision 4). `then` runs in the transaction that reads the session.
 *
 * @throws Failure AuthSessionExpired for any token without an open session, without a reason.
 */
export async function readCaller<T>(
  context: Context,
  authorization: string | undefined,
  then: (sql: Sql, caller: Caller, now: Date) => Promise<T>,
): Promise<T> {
  const now = context.clock.now()
  const claims = await readClaims(context, authorization, now)
  const answer = await context.database.asSystem(async (sql) => {
    const caller = await findCallerOfSession(context, sql, claims, now)
    // Does not throw here: a revocation must be committed.
    return caller && { value: await then(sql, caller, now) }
  })
  if (!answer) throw sessionEnded()
  return answer.value
}

/**
 * Reads the caller and runs statements in one round trip and one transaction. The database itself
 * limits the statements to what the session of a call with this scope reaches (`sessionAccess`);
 * this function then decides whether the session is open before the rows are used.
 *
 * @param statementsOf receives what the token claims, before it is known whether the session is
 * open.
 * @throws Failure AuthSessionExpired as readCaller does.
 */
export const readCallerWith: CallerReader['readCallerWith'] = async (context, { authorization, scope, limit }, statementsOf) => {
  const { clock, database, config } = context
  const now = clock.now()
  const claims = await readClaims(context, authorization, now)
  if (config.database.isDistributed) {
    const reads = statementsOf({ actorId: claims.userId, borrowerId: claims.assumedUserId, sessionId: claims.sessionId, now })
    const read = () => readDistributed(context, claims, scope, reads, now)
    return { ...(await (limit ? limit(claims.userId, read) : read())), now }
  }
  const { userId, sessionId, assumedUserId } = claims
  const seenSince = new Date(now.getTime() - idleMsMax)
  const read = () =>
    database.readAsSession(
      (timeoutMs) => sessionAccess.with({ userId, sessionId, scope, now, seenSince, timeoutMs }),
      statementsOf({ actorId: userId, borrowerId: assumedUserId, sessionId, now }),
      // Staff write an entry of the access log, which waits for others of the same borrower.
      { isAlone: scope === 'staff' || assumedUserId !== null },
    )
  const { session: row, rows } = await (limit ? limit(userId, read) : read())
  const session = row as SessionAccessRow | { expires_at: null }
  if (session.expires_at === null) throw sessionEnded()
  const caller = await admitSession(context, session, claims, now)
  if (!hasReached(session, scope, caller)) throw new Error('The database and the server disagree about a session')
  return { caller, rows, now }
}

type CallerWithRows = { caller: Caller; rows: Row[][] }

/**
 * {@link readCallerWith} on distributed tables, where no statement can limit those after it: what
 * `set_config` sets stays on the coordinator. A session that acts for nobody reads in one round
 * trip what its own person reaches; nobody sees the rows before the session is found open. Any
 * other session is read first, in the same transaction, and then reaches what its scope allows.
 */
async function readDistributed(
  context: Context,
  claims: Claims,
  scope: Scope,
  reads: readonly Bound<unknown>[],
  now: Date,
): Promise<CallerWithRows> {
  const { database } = context
  const { userId, sessionId, assumedUserId } = claims
  if (scope !== 'borrower' || assumedUserId !== null) {
    const answer = await database.asSystem(async (sql) => {
      const caller = await findCallerOfSession(context, sql, claims, now)
      return caller && { caller, rows: await readWithin(sql, scope, caller, reads) }
    })
    if (!answer) throw sessionEnded()
    return answer
  }
  const [[own], [owner], ...rows] = (await database.readAsBorrower(userId, [
    ownSession.with({ userId, sessionId }),
    sessionOwner.with({ userId }),
    ...reads,
  ])) as readonly [readonly OwnSession[], readonly SessionOwner[], ...Row[][]]
  if (!own || !owner) throw sessionEnded()
  const session = { ...ofNobody, ...own, ...owner }
  const caller = await admitSession(context, session, claims, now)
  return { caller, rows: caller.borrowerId === userId ? rows : reads.map(() => []) }
}

/** Runs statements with the access that a call with this scope gives the caller. */
function readWithin(sql: Sql, scope: Scope, caller: Caller, reads: readonly Bound<unknown>[]): Promise<Row[][]> {
  const transaction = withinTransaction(sql)
  const { system, borrowerId } = reachOf(scope, caller)
  return (system ? transaction.readAsSystem(reads) : transaction.readAsBorrower(borrowerId, reads)) as Promise<Row[][]>
}

/** The access that a call with this scope gives the caller; an empty id is that of nobody. */
const reachOf = (scope: Scope, caller: Caller): { system: boolean; borrowerId: string } => ({
  system: scope === 'self' || (scope === 'staff' && caller.isStaff),
  borrowerId: scope === 'borrower' ? (caller.borrowerId ?? '') : '',
})

type Scope = Parameters<CallerReader['readCallerWith']>[1]['scope']
type OwnSession = Pick<SessionRow, 'assumed_user_id' | 'expires_at' | 'last_seen_at' | 'revoked_at'>
type SessionOwner = Pick<SessionRow, 'kind' | 'roles' | 'permissions' | 'disabled_at'>
type SessionAccessRow = SessionRow & { reached_borrower: string; reached_system: string }

/** Whether the statements had exactly the access that a call with this scope gives the caller. */
function hasReached(session: SessionAccessRow, scope: Scope, caller: Caller): boolean {
  const { system, borrowerId } = reachOf(scope, caller)
  return session.reached_system === (system ? 'on' : 'off') && session.reached_borrower === borrowerId
}

/** @throws Failure AuthSessionExpired for a missing, foreign or expired token. */
async function readClaims({ config }: Context, authorization: string | undefined, now: Date): Promise<Claims> {
  const token = /^Bearer ([\w.-]{1,4096})$/i.exec(authorization ?? '')?.[1]
  const claims = token === undefined ? null : await verifyToken(config.signIn.tokenKeys, token, now)
  if (!claims) throw sessionEnded()
  return claims
}

/** The person of a valid token, whose session may have ended; null for any other text. */
export async function findPersonOfToken({ config, clock }: Pick<Context, 'config' | 'clock'>, token: string) {
  const claims = await verifyToken(config.signIn.tokenKeys, token, clock.now())
  return claims && { userId: claims.userId, isAssuming: claims.assumedUserId !== null }
}

type Claims = { userId: string; sessionId: string; assumedUserId: string | null; roles?: readonly string[] }

/**
 * Admits a request by a session that an earlier transaction read. What the request changes in the
 * session is committed first, also if the session is refused.
 *
 * @throws Failure AuthSessionExpired if the session is not open.
 */
async function admitSession({ database, config }: Context, session: SessionRow, claims: Claims, now: Date): Promise<Caller> {
  const change = findChange(session, claims, now)
  if (change) await database.asSystem(change)
  if (!isUsable(session, claims, now)) throw sessionEnded()
  return toCaller(session, claims, config)
}

/** The caller of a session; null if it has ended. */
export async function findCallerOfSession({ config }: Context, sql: Sql, claims: Claims, now: Date): Promise<Caller | null> {
  const find = config.database.isDistributed ? findDistributedSession : findSession
  const session = await find(sql, claims.userId, claims.sessionId)
  if (!session) return null
  await findChange(session, claims, now)?.(sql)
  return isUsable(session, claims, now) ? toCaller(session, claims, config) : null
}

const isUsable = (session: SessionRow, claims: Claims, now: Date): boolean =>
  session.assumed_user_id === claims.assumedUserId && findLostBasis(session, claims, now) === null && isAlive(session, now)

/**
 * Finds what a request changes in its session. A session that has lost its basis is revoked:
 * otherwise its token would work again when the basis is restored. Else the time of use is stored.
 *
 * @returns null if there is nothing to change.
 */
function findChange(session: SessionRow, claims: Claims, now: Date): ((sql: Sql) => Promise<unknown>) | null {
  const { userId, sessionId } = claims
  if (session.revoked_at || session.assumed_user_id !== claims.assumedUserId) return null
  const lost = findLostBasis(session, claims, now)
  if (lost === 'account') return (sql) => revokeAllSessions(sql, userId, now)
  if (lost === 'assuming') return (sql) => revokeAssumedSession(sql, userId, sessionId, now)
  return isAlive(session, now) && needsTouch(session, now) ? (sql) => touchSession(sql, userId, sessionId, now) : null
}

/**
 * Finds what a session has lost: the account or role of its owner, or the right to assume with the
 * borrower's account.
 */
function findLostBasis(session: SessionRow, { roles = [] }: Claims, now: Date): 'account' | 'assuming' | null {
  const hasLostRole = session.kind === 'staff' && roles.includes(assumeRole) && !isStaff(session)
  if (session.disabled_at || hasLostRole) return 'account'
  return session.assumed_user_id !== null && !canStillAssume(session, now) ? 'assuming' : null
}

const needsTouch = ({ last_seen_at }: SessionRow, now: Date): boolean => now.getTime() - last_seen_at.getTime() >= touchIntervalMs

const toCaller = (session: SessionRow, { userId, sessionId, assumedUserId }: Claims, { staff }: Config): Caller => ({
  borrowerId: assumedUserId ?? (session.kind === 'borrower' ? userId : null),
  actorId: userId,
  sessionId,
  isStaff: isStaff(session),
  permissions: selectPermissions(session, staff.assumeProfile),
})

/**
 * Locks the calling session and, if it acts for a borrower, the staff member's own.
 *
 * @returns both, and the time under the lock: no session of another request ends before it began.
 * @throws Failure AuthSessionExpired if another request ended one of them meanwhile.
 */
export async function lockOpenSessionWithOwn({ clock }: Context, sql: Sql, { actorId, sessionId }: Pick<Caller, 'actorId' | 'sessionId'>) {
  const { session, own } = await lockSessionWithOwn(sql, actorId, sessionId)
  const now = clock.now()
  if (session.revoked_at || own.revoked_at || now >= own.expires_at) throw sessionEnded()
  return { session, own, now }
}

export const sessionEnded = () => new Failure('AuthSessionExpired', 'Your session has ended. Please sign in again.')

function isAlive(session: SessionRow, now: Date): boolean {
  if (session.revoked_at || session.disabled_at || now >= session.expires_at) return false
  if (now.getTime() - session.last_seen_at.getTime() > idleMsMax) return false
  return session.assumed_user_id === null || canStillAssume(session, now)
}

/**
 * Assuming ends with the staff member's own session, role or permission, and with the borrower's
 * account.
 */
function canStillAssume(session: SessionRow, now: Date): boolean {
  const isParentOpen = session.parent_expires_at !== null && now < session.parent_expires_at && session.parent_revoked_at === null
  const isBorrowerEnabled = session.assumed_kind === 'borrower' && session.assumed_disabled_at === null
  return isParentOpen && isStaff(session) && session.permissions.includes('user:assume') && isBorrowerEnabled
}

const isStaff = ({ kind, roles }: Pick<SessionRow, 'kind' | 'roles'>): boolean => kind === 'staff' && roles.includes(assumeRole)

/**
 * While assuming: the borrower's permissions limited by the profile, and `user:assume` to switch to
 * another borrower (decision 31), which no borrower has.
 */
function selectPermissions(session: SessionRow, profile: 'act' | 'view'): Permission[] {
  if (session.kind === 'staff' && session.assumed_user_id === null) return filterKnown(session.permissions)
  const borrowers = filterKnown(session.assumed_permissions ?? session.permissions).filter((permission) => permission !== 'user:assume')
  if (session.assumed_user_id === null) return borrowers
  const kept = borrowers.filter((permission) => (profile === 'act' ? !isOfBorrowersOnly(permission) : viewPermissions.includes(permission)))
  return [...kept, 'user:assume']
}

const isOfBorrowersOnly = (permission: Permission): boolean => (mandatePermissions as readonly Permission[]).includes(permission)

function filterKnown(permissions: readonly string[]): Permission[] {
  return allPermissions.filter((permission) => permissions.includes(permission))
}
