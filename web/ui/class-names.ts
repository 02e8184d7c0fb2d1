/** Joins class names and leaves out falsy ones. */
export const cx = (...names: (string | false | null | undefined)[]): string => names.filter(Boolean).join(' ')

/** The look of a link inside a sentence. */
export const linkClass = 'text-brand underline underline-offset-[0.2em] hover:text-brand-hover hover:decoration-2'
