import { flushSync } from 'react-dom'

const headings = 'h1, h2, h3'

/**
 * Focuses the heading of the part that replaces a focused element, or of the part around it. Call
 * it while the element is still on the page; another element that takes the focus keeps it.
 */
export function focusNextPart(leaving: Element): void {
  const places: { before: Element | null; parent: Element }[] = []
  for (let at = leaving; at.parentElement !== null; at = at.parentElement)
    places.push({ before: at.previousElementSibling, parent: at.parentElement })
  // React changes the page at once: afterwards the new part is there.
  queueMicrotask(() => {
    if (document.activeElement !== document.body) return
    const place = places.find(({ parent }) => parent.isConnected)
    if (!place) return
    const { before, parent } = place
    const next = before === null ? parent.firstElementChild : before.nextElementSibling
    const heading = findHeading(next) ?? parent.closest('section, [role=dialog], main')?.querySelector<HTMLElement>(headings)
    if (!heading) return
    heading.tabIndex = -1
    heading.focus()
  })
}

/** The first heading in an element or in those after it. */
function findHeading(first: Element | null): HTMLElement | null {
  for (let at = first; at !== null; at = at.nextElementSibling) {
    const heading = at.matches(headings) ? at : at.querySelector(headings)
    if (heading instanceof HTMLElement) return heading
  }
  return null
}

/**
 * Shows the rest of the list above a button that this removes; the first row of the rest gets the
 * focus.
 *
 * @param firstNew the place of that row, from 0.
 */
export function showRest(button: HTMLElement, firstNew: number, show: () => void): void {
  const above = button.previousElementSibling
  flushSync(show)
  const list = above?.matches('ul, ol') ? above : above?.querySelector('ul')
  const row = list?.children[firstNew]
  if (!(row instanceof HTMLElement)) return
  row.tabIndex = -1
  row.focus()
}
