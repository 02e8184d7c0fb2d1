import * as z from 'zod/mini'

/** The type of a charge. */
export const chargeType = z
  .string()
  .check(z.regex(/^[A-Z][A-Z0-9_]{1,39}$/, 'must be capital letters, digits and underscores, such as BOUNCE_CHARGE'))

/** The code of a benchmark of floating rates. */
export const benchmarkCode = z
  .string()
  .check(z.regex(/^[A-Z][A-Z0-9_]{1,39}$/, 'must be capital letters, digits and underscores, such as RBI_REPO'))
