import { useLingui } from '@lingui/react/macro'
import { useEffect, useRef, useState } from 'react'
import { expireSession, isSignedIn, useSession } from '#web/session/session.ts'
import { usePersonName } from './person-name.ts'
import { assumedEndsAtMs, useAssumedSeconds, useExit } from './use-assumed.ts'

const lastMinutes = 2

/**
 * What an assumed session needs wherever the person goes: it is said once that it runs and once that it ends soon,
 * and it is ended in time. The ticking itself is never read out.
 */
export function AssumedSession() {
  const { t } = useLingui()
  const { name } = usePersonName()
  const seconds = useAssumedSeconds()
  const exit = useExit()
  const latestExit = useRef(exit)
  useEffect(() => {
    latestExit.current = exit
  })

  const { token } = useSession()
  useEffect(() => {
    const endsAtMs = assumedEndsAtMs()
    if (endsAtMs === null) return undefined
    const endWhenOver = (): void => {
      if (Date.now() < endsAtMs) return
      // Nobody can end it in time on a device that slept: the staff member signs in again.
      if (isSignedIn()) void latestExit.current()
      else expireSession()
    }
    // One timer for the moment itself: in a page out of sight, browsers let one that repeats fire once a minute.
    const timer = setTimeout(endWhenOver, endsAtMs - Date.now())
    document.addEventListener('visibilitychange', endWhenOver)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', endWhenOver)
    }
  }, [token])

  // A status is read out when its words change: they come once the empty one stands.
  const [ready, setReady] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setReady(true), 100)
    return () => clearTimeout(timer)
  }, [])
  return (
    <p role="status" className="sr-only">
      {ready &&
        seconds !== null &&
        (seconds > lastMinutes * 60
          ? t`You are logged in as ${name}.`
          : t`You are logged in as ${name} for ${lastMinutes} more minutes at most.`)}
    </p>
  )
}
