import type { readPermissions as call } from '#contract/auth.ts'
import { defineReading } from '../http/reading.ts'

/** Reads the permissions of the caller, as read for this request. */
export const readPermissions = defineReading<typeof call>()(
  () => [],
  (_context, { permissions }) => ({ permissions: [...permissions] }),
)
