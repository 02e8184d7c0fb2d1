import type { Permission } from '#contract/permissions.ts'

/**
 * Who is asking: `borrowerId` is whose data, `actorId` is whose hands. They differ while staff assume a borrower;
 * `borrowerId` is null for staff who assume nobody.
 */
export type Caller = {
  borrowerId: string | null
  actorId: string
  sessionId: string
  /** Whether the hands are those of staff who hold the role tech/assume now. */
  isStaff: boolean
  permissions: readonly Permission[]
}

/** Where a request came from, for the access log and the limits. */
export type Origin = {
  requestId: string
  remoteAddress: string
  userAgent: string
  /** Null where nobody is signed in. */
  sessionId: string | null
}

/** Whether staff act as a borrower. */
export const isAssuming = ({ borrowerId, actorId }: Pick<Caller, 'borrowerId' | 'actorId'>): boolean =>
  borrowerId !== null && borrowerId !== actorId
