/** The wait after each try: it starts with `firstMs` and doubles up to `maxMs`. */
export type BackOff = { firstMs: number; maxMs: number }

/** The wait after a number of earlier tries. */
export const backOffMs = (tries: number, { firstMs, maxMs }: BackOff): number => Math.min(firstMs * 2 ** Math.min(tries, 20), maxMs)

/** The `next_check_at` of a row that needs no more checks. */
export const noFurtherCheck = new Date('9999-12-31T00:00:00Z')
