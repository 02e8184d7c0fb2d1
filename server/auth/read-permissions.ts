import type { readPermissions as call } from '#contract/auth.ts'
import type { UseCase } from '../http/route.ts'

/** What this session may do now, as the caller was read for this very request. */
export const readPermissions: UseCase<typeof call> = async (_context, { permissions }) => ({ permissions: [...permissions] })
