import { minuteMs } from '#domain/durations.ts'
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
const validMsMax = 7 * minuteMs

/**
 * A code that is awaited. `isAnswerUnknown`: it was sent to be verified, or another one was asked
 * for, and the answer had not arrived.
 */
type AwaitedCode = SentCode & { isAnswerUnknown: boolean }

/** When the code cannot be valid any more. */
export const endOfSentCodeMs = ({ atMs }: SentCode): number => atMs + validMsMax

/**
 * Kept for this tab only, while its code is awaited: phones drop the tab of the login while its
 * reader looks at the SMS.
 */
export const rememberSentCode = (sent: AwaitedCode): void => writeStored(storageKeys.sentCode, JSON.stringify(sent), 'sessionStorage')

/** The code that is awaited; null if there is none, or it cannot be valid any more. */
export function readSentCode(nowMs: number): AwaitedCode | null {
  const stored = parse(readStored(storageKeys.sentCode, 'sessionStorage'))
  return isSentCode(stored) && stored.atMs <= nowMs && nowMs < endOfSentCodeMs(stored) ? stored : null
}

function parse(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    return null
  }
}

/** Without a schema: the login page loads before the code of schemas. */
function isSentCode(value: unknown): value is AwaitedCode {
  if (typeof value !== 'object' || value === null) return false
  const { phone, sessionToken, atMs, resendAtMs, times, isAnswerUnknown } = value as Record<string, unknown>
  const isNamed = typeof phone === 'string' && /^\d{10}$/.test(phone) && typeof sessionToken === 'string' && sessionToken !== ''
  return isNamed && typeof isAnswerUnknown === 'boolean' && [atMs, resendAtMs, times].every(Number.isFinite)
}
