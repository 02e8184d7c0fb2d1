/** Joins class names and leaves out what is false. */
export const cx = (...names: (string | false | null | undefined)[]): string => names.filter(Boolean).join(' ')

/** How a link inside a sentence looks. */
export const linkClass = 'text-brand underline underline-offset-[0.2em] hover:text-brand-hover hover:decoration-2'
