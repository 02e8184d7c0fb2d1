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
