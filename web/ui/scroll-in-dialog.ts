/**
 * Scrolls the content of an element's dialog to the element; without a dialog it does nothing.
 * `scrollIntoView` would move the dialog out of the window too.
 */
export function scrollInDialog(element: HTMLElement): void {
  const content = element.closest<HTMLElement>('[role=dialog] > div')
  content?.scrollTo({ top: element.offsetTop - content.offsetTop })
}
