import { type Claims, decodePayload, isAssuming, isExpired, isStaffAlone } from '#web/session/claims.ts'
import { readStored, readTokenReceivedAtMs, storageKeys } from '#web/storage.ts'

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
    const claims = decodePayload(token ?? '') as Claims
    if (token === null || isExpired(claims, readTokenReceivedAtMs(), Date.now())) return null
    return {
      token,
      isAssumed: isAssuming(claims),
      isStaffAlone: isStaffAlone(claims),
      user: JSON.parse(readStored(storageKeys.userData) ?? 'null'),
    }
  } catch {
    return null
  }
}
