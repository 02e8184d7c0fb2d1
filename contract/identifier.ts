import * as z from 'zod/mini'

/** An identifier of a loan, link or document in a request: printable, bounded, never a path. */
export const identifier = z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/, 'must be 1 to 64 letters, digits or _ . : -'))
