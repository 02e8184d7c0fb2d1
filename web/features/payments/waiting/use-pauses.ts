import { useEffect, type Dispatch, type FocusEvent, type PointerEvent } from 'react'
import type { Pause, WaitingEvent } from './waiting-state.ts'

/**
 * Reports what pauses the redirect (WCAG 2.2.1). Spread the returned handlers on the dialog.
 *
 * A pointer counts when it has moved over the dialog: one that still rests where the provider's
 * button was says nothing. Of the focus, what `:focus-visible` shows counts, but not the heading:
 * the dialog itself puts the focus there.
 */
export function usePauses(dispatch: Dispatch<WaitingEvent>) {
  useEffect(() => {
    const report = (): void => dispatch({ type: document.visibilityState === 'hidden' ? 'pauseBegan' : 'pauseEnded', pause: 'hidden' })
    report()
    document.addEventListener('visibilitychange', report)
    return () => document.removeEventListener('visibilitychange', report)
  }, [dispatch])

  const begin = (pause: Pause): void => dispatch({ type: 'pauseBegan', pause })
  return {
    onPointerMove: ({ pointerType }: PointerEvent) => {
      if (pointerType !== 'touch') begin('pointer')
    },
    onPointerLeave: () => dispatch({ type: 'pauseEnded', pause: 'pointer' }),
    onPointerDown: ({ pointerType }: PointerEvent) => {
      if (pointerType !== 'mouse') begin('touch')
    },
    onFocus: ({ target }: FocusEvent<HTMLElement>) => {
      if (target.tagName !== 'H1' && target.matches(':focus-visible')) begin('keyboard')
    },
  }
}
