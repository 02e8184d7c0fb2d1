import { flushSync } from 'react-dom'

/**
 * Focuses the heading of the part around a focused element that leaves the page. Call it while the
 * element is still there; another element that takes the focus keeps it.
 */
export function focusPartAround(leaving: Element): void {
  const parts = [leaving.closest('section'), leaving.closest('main, [role=dialog]')]
  // React changes the page at once: afterwards the new content is there.
  queueMicrotask(() => {
    const part = parts.find((one) => one?.isConnected)
    const heading = part?.querySelector<HTMLElement>('h1, h2, h3')
    if (!heading || document.activeElement !== document.body) return
    heading.tabIndex = -1
    heading.focus()
  })
}

/**
 * Shows the rest of the list beside a button that this removes; the first row of the rest gets the
 * focus.
 *
 * @param firstNew the place of that row, from 0.
 */
export function showRest(button: HTMLElement, firstNew: number, show: () => void): void {
  const around = button.parentElement
  flushSync(show)
  const row = around?.querySelectorAll('li')[firstNew]
  if (!row) return
  row.tabIndex = -1
  row.focus()
}
