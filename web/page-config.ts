/** What the server wrote into the page as the lender's settings, unchecked; null where it wrote nothing. */
export function readConfigOfPage(): unknown {
  try {
    return JSON.parse(document.getElementById('config')?.textContent ?? 'null')
  } catch {
    return null
  }
}
