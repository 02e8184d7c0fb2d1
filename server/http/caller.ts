import type { Permission } from '#contract/permissions.ts'

/**
 * Who is asking: `borrowerId` is whose data, `actorId` is whose hands. They differ while staff assume a borrower;
 * `borrowerId` is null for staff who assume nobody.
 */
export type Caller = {
  borrowerId: string | null
  actorId: string
  sessionId: string
  permissions: readonly Permission[]
}

/** Where a request came from, for the access log and the limits. */
export type Origin = { requestId: string; remoteAddress: string; userAgent: string }
