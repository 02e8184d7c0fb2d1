import { useEffect, useRef } from 'react'

/** Until a closing dialog has given the focus back, if it has someone to give it to. */
const settleMs = 300

/**
 * When what had the focus is gone from the page, the heading with this id gets it,
 * so that a keyboard or a screen reader goes on where something has changed.
 */
export function useKeptFocus(headingId: string, changed: string): void {
  const before = useRef(changed)
  useEffect(() => {
    if (before.current === changed) return undefined
    before.current = changed
    const timer = setTimeout(() => {
      const heading = document.getElementById(headingId)
      if (heading === null || document.activeElement !== document.body) return
      heading.tabIndex = -1
      heading.focus()
    }, settleMs)
    return () => clearTimeout(timer)
  }, [headingId, changed])
}
