import { Suspense, useState } from 'react'
import { preloadDialog } from '#web/ui/dialog.tsx'
import { createLazyPart, usePreloadWhenIdle } from '#web/ui/lazy-part.tsx'
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
