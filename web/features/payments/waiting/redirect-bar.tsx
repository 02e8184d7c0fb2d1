import { Trans, useLingui } from '@lingui/react/macro'
import { useRef, type Dispatch } from 'react'
import { Button } from '#web/ui/button.tsx'
import type { WaitingEvent, WaitingState } from './waiting-state.ts'

type RedirectBarProps = { result: Extract<WaitingState, { phase: 'resolved' }>; dispatch: Dispatch<WaitingEvent> }

/** When the payments tab opens by itself, and the ways to wait no longer and to stay. */
export function RedirectBar({ result: { secondsLeft, pauses }, dispatch }: RedirectBarProps) {
  const { t } = useLingui()
  const goButton = useRef<HTMLButtonElement>(null)
  const stay = (): void => {
    dispatch({ type: 'stay' })
    // The pressed button disappears.
    goButton.current?.focus()
  }
  return (
    <>
      <p className="mb-2 text-center text-sm text-muted tabular-nums">
        {secondsLeft === null ? (
          t`This page stays open.`
        ) : pauses.length > 0 ? (
          t`Take your time: the countdown is paused.`
        ) : (
          <Trans>
            Back to your payments in <b className="font-semibold text-ink">{secondsLeft}s</b>
          </Trans>
        )}
      </p>
      <div className="flex flex-wrap-reverse gap-2">
        {secondsLeft !== null && (
          <Button variant="secondary" className="flex-auto" onClick={stay}>
            {t`Stay on this page`}
          </Button>
        )}
        <Button ref={goButton} className="flex-auto" onClick={() => dispatch({ type: 'leave' })}>
          {t`Go to payments`}
        </Button>
      </div>
    </>
  )
}
