import { useEffect, useRef } from 'react'
import type { PaymentsStatus } from './payments-controller.ts'

/** Until a closing dialog has given the focus back, if it has someone to give it to. */
const settleMs = 300

/**
 * When what had the focus is gone from the page, the heading with this id gets it,
 * so that a keyboard or a screen reader goes on where something has changed.
 */
export function useKeptFocus(headingId: string, status: PaymentsStatus): void {
  const before = useRef(status)
  useEffect(() => {
    const was = before.current
    before.current = status
    // Loading and failing take nothing away that one could have been at.
    if (was === status || was === 'IDLE' || was === 'PENDING_PAYMENT_UNKNOWN') return undefined
    const timer = setTimeout(() => {
      const heading = document.getElementById(headingId)
      if (heading === null || document.activeElement !== document.body) return
      heading.tabIndex = -1
      heading.focus()
    }, settleMs)
    return () => clearTimeout(timer)
  }, [headingId, status])
}
