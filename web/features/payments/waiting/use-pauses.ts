import { useEffect, useRef, type Dispatch, type FocusEvent, type PointerEvent } from 'react'
import type { Pause, WaitingEvent } from './waiting-state.ts'

/** A pointer that has rested for so long is not used any more: the result fills the screen. */
const pointerRestMs = 5_000

/**
 * Reports what pauses the redirect (WCAG 2.2.1). Spread the returned handlers on the dialog.
 *
 * A pointer counts while it moves or scrolls over the dialog, and shortly after: one that still
 * rests where the provider's button was says nothing. Of the focus, what `:focus-visible` shows
 * counts, but not the heading: the dialog itself puts the focus there.
 */
export function usePauses(dispatch: Dispatch<WaitingEvent>) {
  useEffect(() => {
    const report = (): void => dispatch({ type: document.visibilityState === 'hidden' ? 'pauseBegan' : 'pauseEnded', pause: 'hidden' })
    report()
    document.addEventListener('visibilitychange', report)
    return () => document.removeEventListener('visibilitychange', report)
  }, [dispatch])

  const rest = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(rest.current), [])
  const endPointer = (): void => {
    clearTimeout(rest.current)
    dispatch({ type: 'pauseEnded', pause: 'pointer' })
  }
  const begin = (pause: Pause): void => dispatch({ type: 'pauseBegan', pause })
  const holdPointer = (): void => {
    begin('pointer')
    clearTimeout(rest.current)
    rest.current = setTimeout(endPointer, pointerRestMs)
  }
  return {
    onPointerMove: ({ pointerType }: PointerEvent) => {
      if (pointerType !== 'touch') holdPointer()
    },
    // Scrolls under a pointer that does not move.
    onWheel: holdPointer,
    onPointerLeave: endPointer,
    onPointerDown: ({ pointerType }: PointerEvent) => {
      if (pointerType !== 'mouse') begin('touch')
    },
    onFocus: ({ target }: FocusEvent<HTMLElement>) => {
      if (target.tagName !== 'H1' && target.matches(':focus-visible')) begin('keyboard')
    },
  }
}
