/**
 * What is shown when the app cannot start because its own files did not arrive. The words stand here in both languages:
 * the catalogues are among what is missing.
 */
export function showStartFailure(): void {
  const container = document.getElementById('root')
  if (container === null || (container.childElementCount > 0 && !container.hidden)) return
  const main = document.createElement('main')
  main.className = 'mx-auto max-w-content p-4 md:p-8'
  main.append(
    sentence('h1', 'en', 'This page could not be loaded'),
    sentence('p', 'en', 'Check your internet connection and load the page again.'),
    sentence('p', 'hi', 'यह पेज लोड नहीं हो सका। अपना इंटरनेट कनेक्शन जाँचें और पेज फिर खोलें।'),
  )
  // What stands there unseen is the login of who may be signed in.
  container.replaceChildren(main)
  container.hidden = false
}

function sentence(tag: 'h1' | 'p', language: string, text: string): HTMLElement {
  const element = document.createElement(tag)
  element.lang = language
  element.textContent = text
  return element
}
