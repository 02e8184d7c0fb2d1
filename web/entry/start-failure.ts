/**
 * Shown when a page cannot start because its own files could not be loaded. Its texts are here in
 * both languages, because the catalogues are among the missing files.
 */
export function showStartFailure(): void {
  const container = document.getElementById('root')
  if (container === null) return
  delete document.documentElement.dataset['drawn']
  const main = document.createElement('main')
  main.className = 'mx-auto max-w-content p-4 md:p-8'
  main.append(
    createSentence('h1', 'en', 'This page could not be loaded'),
    createSentence('p', 'en', 'Check your internet connection and load the page again.'),
    createSentence('p', 'hi', 'यह पेज लोड नहीं हो सका। अपना इंटरनेट कनेक्शन जाँचें और पेज फिर खोलें।'),
    createReloadButton(),
  )
  // A hidden login that was drawn for a person who may be signed in.
  container.replaceChildren(main)
  container.hidden = false
}

/**
 * That of a Button, which its test compares. Written out: this script is in each page before its
 * first paint, and the classes of all buttons are two kilobytes.
 */
export const reloadButtonClass =
  'inline-flex items-center justify-center gap-2 rounded-md border text-center font-semibold no-underline transition-colors min-h-target px-[1.125rem] py-2 text-base border-transparent bg-brand text-on-brand hover:bg-brand-hover hover:text-on-brand'

/** The installed app has no button of the browser for this. */
function createReloadButton(): HTMLElement {
  const button = document.createElement('button')
  button.className = `${reloadButtonClass} mt-4`
  button.append(createSentence('span', 'en', 'Load again'), ' / ', createSentence('span', 'hi', 'फिर से खोलें'))
  button.addEventListener('click', () => window.location.reload())
  return button
}

function createSentence(tag: 'h1' | 'p' | 'span', language: string, text: string): HTMLElement {
  const element = document.createElement(tag)
  element.lang = language
  element.textContent = text
  return element
}
