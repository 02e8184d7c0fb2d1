import { useEffect, useEffectEvent, useReducer } from 'react'
import { getPortalConfig } from '#web/portal-config.ts'
import { countdownReducer, countdownOff, type Countdown } from '../payments-controller.ts'

/**
 * The countdown with its timer. `onRedirect` runs after the configured pause at zero; `onReturn`
 * runs when the Back button restores the page from the back/forward cache.
 */
export function useCountdown(on: { onRedirect: (running: Countdown) => void; onReturn: () => void }) {
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
