/** A control of a drawn page that its page has too: a link, a button of the bars, a question. */
type KeptControl = { selector: string; index: number }

const controls = 'a[href^="/"], [data-tool], summary'

/** Keeps the last press in a drawn page, until the portal has replaced it. */
export function keepPresses(root: HTMLElement): void {
  // Presses on the portal's own elements are not kept.
  const drawn = [...root.children]
  root.addEventListener('click', (event) => {
    const control = describeControl(root, event.target)
    const opensElsewhere = event.ctrlKey || event.metaKey || event.shiftKey
    const isDrawn = event.target instanceof Node && drawn.some((element) => element.contains(event.target as Node))
    if (!isDrawn || control === null || opensElsewhere) return
    event.preventDefault()
    root.dataset['pressed'] = JSON.stringify(control)
  })
}

/**
 * Takes over a drawn page: remembers what was pressed and what has the focus. @returns a function
 * that repeats both in the page itself, once it is shown.
 */
export function takeOverDrawnPage(root: HTMLElement): () => void {
  const focused = describeControl(root, document.activeElement)
  delete root.dataset['page']
  delete document.documentElement.dataset['drawn']
  return () => {
    const { pressed } = root.dataset
    delete root.dataset['pressed']
    if (focused) findControl(root, focused)?.focus()
    if (pressed !== undefined) findControl(root, JSON.parse(pressed) as KeptControl)?.click()
  }
}

function describeControl(root: HTMLElement, target: EventTarget | null): KeptControl | null {
  const element = target instanceof Element ? target.closest<HTMLElement>(controls) : null
  if (element === null || !root.contains(element)) return null
  const { tool } = element.dataset
  const href = element.getAttribute('href')
  const selector = tool !== undefined ? `[data-tool="${tool}"]` : href !== null ? `a[href="${href}"]` : 'summary'
  return { selector, index: [...root.querySelectorAll(selector)].indexOf(element) }
}

const findControl = (root: HTMLElement, { selector, index }: KeptControl): HTMLElement | undefined =>
  [...root.querySelectorAll<HTMLElement>(selector)][index]
