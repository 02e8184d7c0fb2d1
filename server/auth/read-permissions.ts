import type { readPermissions as call } from '#contract/auth.ts'
import type { UseCase } from '../http/route.ts'

/** Reads the permissions of the caller, as read for this request. */
export const readPermissions: UseCase<typeof call> = async (_context, { permissions }) => ({ permissions: [...permissions] })
