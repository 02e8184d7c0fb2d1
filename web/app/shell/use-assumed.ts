import { useRouter } from '@tanstack/react-router'
import { useSyncExternalStore } from 'react'
import { endAssuming, endsEarlyMs } from '#web/session/assuming.ts'
import { isAssuming } from '#web/session/auth-state.ts'
import { getSession, sessionEndsAtMs, useSession } from '#web/session/session.ts'
import { paths } from '#web/app/paths.ts'

/** Ends the assumption and goes to the list of users. */
export function useExit(): () => Promise<void> {
  const router = useRouter()
  return async () => {
    await endAssuming()
    router.history.push(paths.users)
  }
}

function everySecond(listener: () => void): () => void {
  const timer = setInterval(listener, 1000)
  return () => clearInterval(timer)
}
const never = () => () => {}
const nowSeconds = () => Math.floor(Date.now() / 1000)

/** When an assumed session is to be ended, by this device's clock; null when nobody is acted for. */
export function assumedEndsAtMs(): number | null {
  const endsAtMs = isAssuming(getSession().claims) ? sessionEndsAtMs() : null
  return endsAtMs === null ? null : endsAtMs - endsEarlyMs
}

/** Seconds until an assumed session is ended; null when nobody is acted for. */
export function useAssumedSeconds(): number | null {
  const assuming = isAssuming(useSession().claims)
  const now = useSyncExternalStore(assuming ? everySecond : never, nowSeconds)
  const endsAtMs = assumedEndsAtMs()
  return endsAtMs === null ? null : Math.max(0, Math.ceil(endsAtMs / 1000) - now)
}

/** '24:10'. */
export const clockText = (seconds: number): string => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
