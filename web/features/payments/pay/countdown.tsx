import { Suspense, useEffect, useEffectEvent, useReducer, useState } from 'react'
import { getPortalConfig } from '#web/portal-config.ts'
import { preloadDialog } from '#web/ui/dialog.tsx'
import { createLazyPart, usePreloadWhenIdle } from '#web/ui/lazy-part.tsx'
import { countdownReducer, countdownOff, type Countdown as Running } from '../payments-controller.ts'
import type { CountdownDialogProps } from './countdown-dialog.tsx'

const CountdownDialog = createLazyPart(async () => (await import('./countdown-dialog.tsx')).CountdownDialog)

/** Loads the countdown. A failure reloads the page (web/entry/start.ts): the link is kept. */
export const loadCountdown = () => Promise.all([CountdownDialog.preload(), preloadDialog()]).catch(() => {})

/** The dialog of the countdown, whose code is loaded while the page is idle. */
export function Countdown(props: CountdownDialogProps) {
  usePreloadWhenIdle(CountdownDialog)
  // After a countdown it stays, so that it can fade out.
  const [wasStarted, setWasStarted] = useState(false)
  if (!wasStarted && props.running.phase !== 'off') setWasStarted(true)
  if (!wasStarted) return null
  return (
    <Suspense>
      <CountdownDialog {...props} />
    </Suspense>
  )
}

/**
 * The countdown with its timer. `onRedirect` runs after the configured pause at zero; `onReturn`
 * runs when the Back button restores the page from the back/forward cache.
 */
export function useCountdown(on: { onRedirect: (running: Running) => void; onReturn: () => void }) {
  const [running, dispatch] = useReducer(countdownReducer, countdownOff)
  const onRedirect = useEffectEvent(() => on.onRedirect(running))
  const onReturn = useEffectEvent(() => {
    dispatch({ type: 'cancelled' })
    on.onReturn()
  })

  useEffect(() => {
    if (running.phase === 'counting') {
      const timer = setInterval(() => dispatch({ type: 'secondPassed' }), 1000)
      return () => clearInterval(timer)
    }
    if (running.phase === 'redirecting') {
      const timer = setTimeout(() => onRedirect(), getPortalConfig().countdown.pause_ms)
      return () => clearTimeout(timer)
    }
    return undefined
  }, [running.phase])

  useEffect(() => {
    const onPageShow = (event: PageTransitionEvent): void => {
      if (event.persisted) onReturn()
    }
    window.addEventListener('pageshow', onPageShow)
    return () => window.removeEventListener('pageshow', onPageShow)
  }, [])

  return { running, dispatch }
}
