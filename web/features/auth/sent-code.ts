import { readStored, storageKeys, writeStored } from '#web/storage.ts'

/** The last one-time code that was sent to a phone; the code itself is known to its SMS alone. */
export type SentCode = {
  /** The ten digits. */
  phone: string
  sessionToken: string
  /** When the server answered. */
  atMs: number
  resendAtMs: number
  /** How many codes were sent to this phone in a row. */
  times: number
}

/**
 * The longest that a code can be valid after the answer: five minutes from its sending, which waits
 * two minutes at most (docs/security.md).
 */
const validMsMax = 7 * 60_000

/**
 * Kept for this tab only, while its code is awaited: phones drop the tab of the login while its
 * reader looks at the SMS.
 */
export const rememberSentCode = (sent: SentCode): void => writeStored(storageKeys.sentCode, JSON.stringify(sent), 'sessionStorage')

/** The code that is awaited; null if there is none, or it cannot be valid any more. */
export function readSentCode(nowMs: number): SentCode | null {
  const stored = parse(readStored(storageKeys.sentCode, 'sessionStorage'))
  return isSentCode(stored) && stored.atMs <= nowMs && nowMs < stored.atMs + validMsMax ? stored : null
}

function parse(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    return null
  }
}

/** Without a schema: the login page loads before the code of schemas. */
function isSentCode(value: unknown): value is SentCode {
  if (typeof value !== 'object' || value === null) return false
  const { phone, sessionToken, atMs, resendAtMs, times } = value as Record<string, unknown>
  const isNamed = typeof phone === 'string' && /^\d{10}$/.test(phone) && typeof sessionToken === 'string' && sessionToken !== ''
  return isNamed && [atMs, resendAtMs, times].every(Number.isFinite)
}
