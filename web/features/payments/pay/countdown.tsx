import { Suspense, useState } from 'react'
import { createLazyPart, usePreloadWhenIdle } from '#web/ui/lazy-part.tsx'
import type { CountdownDialogProps } from './countdown-dialog.tsx'

const CountdownDialog = createLazyPart(async () => (await import('./countdown-dialog.tsx')).CountdownDialog)

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
