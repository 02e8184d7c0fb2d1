import * as z from 'zod/mini'

/** A name for a loan, a link or a document as it came from outside: printable, bounded, never a path. */
export const identifier = z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/, 'must be 1 to 64 letters, digits or _ . : -'))
