import { minuteMs } from '#domain/durations.ts'

/** How long after the last input the page counts as used. */
const inUseMs = 5 * minuteMs

let lastUsedAtMs = Date.now()

/**
 * Records every input on the page; called once. `onReturn` runs when the page is used again after a
 * pause.
 */
export function watchActivity(onReturn: () => void): void {
  const note = (): void => {
    if (document.hidden) return
    const isReturn = !isInUse()
    lastUsedAtMs = Date.now()
    if (isReturn) onReturn()
  }
  for (const event of ['pointerdown', 'keydown', 'wheel', 'focus']) window.addEventListener(event, note, { capture: true, passive: true })
  document.addEventListener('visibilitychange', note)
}

/**
 * Whether the page is being used. Polling stops when it is not, because each call would keep the
 * session alive, which the server ends after half an hour of idleness.
 */
export const isInUse = (): boolean => Date.now() - lastUsedAtMs < inUseMs
