import * as z from 'zod/mini'

export const identifierPattern = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/

/** An identifier of a loan, link or document in a request: printable, bounded, never a path. */
export const identifier = z.string().check(z.regex(identifierPattern, 'must be 1 to 64 letters, digits or _ . : -'))

/** The id of a charge: that of one that was added, or `late:` and a due date. */
export const chargeIdPattern = /^[\x21-\x7e]{1,100}$/

/**
 * A bank's reference or the number of a cheque. Bank references are compared by their letters and
 * digits, so that each has one.
 */
export const referencePattern = /^(?=.*[A-Za-z0-9])[\x21-\x7e]{1,64}$/
