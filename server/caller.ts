import type { Permission } from '#contract/permissions.ts'

/**
 * The caller of a request. `borrowerId` owns the data, `actorId` acts. They differ while staff
 * assume a borrower; `borrowerId` is null for staff who assume nobody.
 */
export type Caller = {
  borrowerId: string | null
  actorId: string
  sessionId: string
  /** Whether the actor is staff and has the role tech/assume now. */
  isStaff: boolean
  permissions: readonly Permission[]
}

/**
 * What a valid token claims about its session. Whether the session is open is known only when the
 * statements made from it have run; row-level security limits them. `borrowerId`: the assumed
 * borrower, or null. `now`: the time of the request.
 */
export type ClaimedSession = Pick<Caller, 'actorId' | 'borrowerId' | 'sessionId'> & { now: Date }

/** The origin of a request, for the access log and the limits. */
export type Origin = {
  requestId: string
  remoteAddress: string
  userAgent: string
  /** Null without a session. */
  sessionId: string | null
}

/** Whether staff act as a borrower. */
export const isAssuming = ({ borrowerId, actorId }: Pick<Caller, 'borrowerId' | 'actorId'>): boolean =>
  borrowerId !== null && borrowerId !== actorId
