/**
 * Scrolls the content of an element's dialog to the element; without a dialog it does nothing.
 * For what appears below the fields: on a phone they fill the dialog. `scrollIntoView` would move
 * the dialog out of the window too.
 */
export function scrollInDialog(element: HTMLElement | null): void {
  const content = element?.closest<HTMLElement>('[role=dialog] > div')
  if (element && content) content.scrollTo({ top: element.offsetTop - content.offsetTop })
}
