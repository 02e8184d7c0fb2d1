import * as z from 'zod/mini'

/**
 * Control characters and those that change the direction of text. Joiners are allowed: Hindi needs
 * them.
 */
const forbidden = /[\p{Cc}\u202A-\u202E\u2066-\u2069]/u

/** True for well-formed text without these characters. */
export const isPlainText = (text: string): boolean => text.isWellFormed() && !forbidden.test(text)

/** Free text from a client: bounded, well-formed, without invisible control characters. */
export const plainText = (charactersMax: number) =>
  z.string().check(z.maxLength(charactersMax), z.refine(isPlainText, 'must have no control characters'))
