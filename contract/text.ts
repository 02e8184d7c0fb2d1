import * as z from 'zod/mini'

/** Control characters, and those that turn the direction of the text around them. Joiners stay: Hindi is written with them. */
const forbidden = /[\p{Cc}\u202A-\u202E\u2066-\u2069]/u

/** Free text from outside: bounded, well formed, and nothing in it that is not to be seen. */
export const plainText = (charactersMax: number) =>
  z.string().check(
    z.maxLength(charactersMax),
    z.refine((text) => text.isWellFormed() && !forbidden.test(text), 'must have no control characters'),
  )
