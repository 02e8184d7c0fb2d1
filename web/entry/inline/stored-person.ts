import { assumeRole } from '#contract/permissions.ts'
import { readStored, storageKeys } from '#web/storage.ts'

/** Who is signed in on this device, by what is stored: unchecked, for the first paint alone. */
export type StoredPerson = {
  token: string
  isStaffAlone: boolean
  isAssumed: boolean
  user: { metadata: { first_name: string; last_name: string; is_ongoing_application: boolean } } | null
}

/**
 * Reads the stored session without the schemas, which come with the code. @returns null without a
 * session that may still be valid.
 */
export function readStoredPerson(): StoredPerson | null {
  const token = readStored(storageKeys.token)
  try {
    const payload = (token ?? '').split('.')[1] ?? ''
    const claims = JSON.parse(atob(payload.replace(/-/g, '+').replace(/_/g, '/')))
    const receivedAtMs = Number(readStored(storageKeys.tokenReceivedAt) ?? Number.NaN)
    const endsAtMs = Number.isFinite(receivedAtMs) && claims.iat ? receivedAtMs + (claims.exp - claims.iat) * 1000 : claims.exp * 1000
    if (token === null || !(Date.now() < endsAtMs)) return null
    const isAssumed = Boolean(claims.assumed_user_id)
    return {
      token,
      isAssumed,
      isStaffAlone:
        !isAssumed &&
        String(claims.roles ?? '')
          .split(',')
          .some((role) => role.trim() === assumeRole),
      user: JSON.parse(readStored(storageKeys.userData) ?? 'null'),
    }
  } catch {
    return null
  }
}
