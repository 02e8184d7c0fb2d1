import { queryOptions, useQuery } from '@tanstack/react-query'
import { readPermissions } from '#contract/auth.ts'
import { borrowerPermissions, type Permission, viewPermissions } from '#contract/permissions.ts'
import { getFailureKind } from '#web/api/api-error.ts'
import { call } from '#web/api/call.ts'
import { queryClient } from '#web/api/query-client.ts'
import type { PermissionAnswer } from '#web/ui/action-state.ts'
import { isAssuming } from './claims.ts'
import { useSession } from './session.ts'

const retryAfterMs = 2000
const retryAfterMsMax = 30_000

/**
 * The permissions of the session. Loaded once per person; a failed load is repeated until it
 * succeeds.
 */
export const permissionsQuery = queryOptions({
  queryKey: ['permissions'],
  queryFn: async ({ signal }) => (await call(readPermissions, {}, { signal })).permissions,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
})

/** Milliseconds until the next try, doubling; false with data, or if only a new sign-in helps. */
export function getPermissionsRetryMs({
  data,
  error,
  errorUpdateCount,
}: {
  data: unknown
  error: unknown
  errorUpdateCount: number
}): number | false {
  if (data !== undefined || error === null || getFailureKind(error) === 'unauthorized') return false
  return Math.min(retryAfterMsMax, retryAfterMs * 2 ** (errorUpdateCount - 1))
}

/**
 * Repeats a failed load: after a delay, when the connection returns, and when the person returns to
 * the page.
 */
export function usePermissionsRetry(): void {
  useQuery({ ...permissionsQuery, refetchInterval: ({ state }) => getPermissionsRetryMs(state) }, queryClient)
}

/** Only the server's list denies: a failed load denies nothing. */
export function usePermission(permission: Permission): PermissionAnswer {
  return getPermissionAnswer(permission, useQuery(permissionsQuery, queryClient))
}

/** The permissions that change something of a borrower's (spec §6). */
const changes = borrowerPermissions.filter((permission) => !viewPermissions.includes(permission))

/**
 * Whether staff who act for a borrower may only look: the lender has chosen so
 * (KIST_ASSUME_PROFILE).
 */
export function useViewOnly(): boolean {
  const { data } = useQuery(permissionsQuery, queryClient)
  return isAssuming(useSession().claims) && mayOnlyLook(data)
}

/** Only the server's list decides: after a failed load nothing is known. */
export const mayOnlyLook = (permissions: readonly string[] | undefined): boolean =>
  permissions !== undefined && !changes.some((change) => permissions.includes(change))

export function getPermissionAnswer(
  permission: Permission,
  { data, failureCount, errorUpdateCount }: { data: readonly string[] | undefined; failureCount: number; errorUpdateCount: number },
): PermissionAnswer {
  if (data !== undefined) return data.includes(permission) ? 'allowed' : 'denied'
  return failureCount > 0 || errorUpdateCount > 0 ? 'unknown' : 'loading'
}
