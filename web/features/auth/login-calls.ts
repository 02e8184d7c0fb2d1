import { login, readCodeStatus, verify, type CodeStatus } from '#contract/auth.ts'
import type { ResponseOf } from '#contract/endpoint.ts'
import { ApiError } from '#web/api/api-error.ts'
import { call } from '#web/api/call.ts'

/** Requests a code for the ten digits of a phone. Rejects with ApiError. */
export const requestCode = (phone: string): Promise<ResponseOf<typeof login>> => call(login, { body: { phone: `+91${phone}` } })

/** Exchanges a code for a session. Rejects with ApiError. */
export const verifyCode = (sessionToken: string, code: string): Promise<ResponseOf<typeof verify>> =>
  call(verify, { body: { session_token: sessionToken, otp: code } })

/** When the status of a code is asked for, counted from the answer that named it. */
const statusChecksMs = [3_000, 8_000, 15_000, 30_000]

type Watch = {
  sessionToken: string
  /** When the code was requested. */
  atMs: number
  onStatus: (status: CodeStatus, isLastCheck: boolean) => void
  signal: AbortSignal
}

/** Asks a few times whether a code was sent, until that is known. */
export async function watchCodeStatus({ sessionToken, atMs, onStatus, signal }: Watch): Promise<void> {
  for (const [index, checkMs] of statusChecksMs.entries()) {
    const nextMs = statusChecksMs[index + 1]
    // Timers of a hidden tab run late: overdue checks become one.
    if (nextMs !== undefined && Date.now() >= atMs + nextMs) continue
    await waitUntil(atMs + checkMs, signal)
    if (signal.aborted) return
    const status = await readStatus(sessionToken, signal)
    if (signal.aborted || status === 'refused') return
    if (status !== null) onStatus(status, nextMs === undefined)
    if (status === 'sent' || status === 'failed') return
  }
}

/**
 * @returns `refused` if the code is no longer valid; null if no answer came.
 */
async function readStatus(sessionToken: string, signal: AbortSignal): Promise<CodeStatus | 'refused' | null> {
  try {
    return (await call(readCodeStatus, { query: { session_token: sessionToken } }, { signal })).status
  } catch (error) {
    return error instanceof ApiError && error.code === 'AuthInvalidOTPError' ? 'refused' : null
  }
}

function waitUntil(atMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, atMs - Date.now())
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true })
  })
}
