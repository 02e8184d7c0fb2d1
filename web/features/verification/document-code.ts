import { toLatinDigits } from '#web/ui/latin-digits.ts'

/**
 * The code in what a person typed or pasted, as the document prints it; the whole address may be
 * pasted. Null if it is not the sixteen letters and digits of a code.
 */
export function readDocumentCode(text: string): string | null {
  const given = /[?&]code=([^&#]*)/.exec(text)?.[1] ?? text
  const letters = toLatinDigits(given)
    .replace(/[\s\-–]/g, '')
    .toUpperCase()
  return /^[0-9A-Z]{16}$/.test(letters) ? letters.replace(/(.{4})(?=.)/g, '$1-') : null
}
