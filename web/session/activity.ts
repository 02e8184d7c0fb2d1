/** How long after the last touch or key a page counts as being used. */
export const inUseMs = 5 * 60_000

let lastUsedAtMs = Date.now()

/** Notes every touch, key and return to the page; called once. `onReturn` is called when the page is used again after nobody did. */
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
 * Whether somebody uses the page. What it asks for by a clock stops when nobody does, because each call keeps the session alive that
 * the server ends after half an hour without one.
 */
export const isInUse = (nowMs: number = Date.now()): boolean => nowMs - lastUsedAtMs < inUseMs
