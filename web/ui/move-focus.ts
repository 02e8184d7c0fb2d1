import { flushSync } from 'react-dom'

/**
 * For the `ref` of a button that its press removes, or of a heading while the page loads: the
 * heading of the part around it gets the focus. Another element that takes the focus keeps it.
 */
export const focusPartWhenRemoved = (removed: HTMLElement | null) => () => {
  if (removed === null || removed !== document.activeElement) return
  const parts = ['section', 'main, [role=dialog]'].map((part) => removed.closest(part))
  // React calls this just before it removes the element; afterwards the new content is there.
  queueMicrotask(() => {
    const part = parts.find((one) => one?.isConnected)
    if (document.activeElement === document.body) focus(part?.querySelector('h1, h2, h3'))
  })
}

/**
 * Shows the rest of the list above a button that this removes; the first row of the rest gets the
 * focus.
 *
 * @param firstNew the place of that row, from 0.
 */
export function showRest(button: HTMLElement, firstNew: number, show: () => void): void {
  const list = button.parentElement?.querySelector('ol, ul')
  flushSync(show)
  focus(list?.children[firstNew])
}

/** Focuses what cannot be reached by Tab. */
function focus(element: Element | null | undefined): void {
  if (!(element instanceof HTMLElement)) return
  element.tabIndex = -1
  element.focus()
}
