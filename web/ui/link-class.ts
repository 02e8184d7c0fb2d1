/** How a link inside a sentence looks. */
export const linkClass = 'text-brand underline underline-offset-[0.2em] hover:text-brand-hover hover:decoration-2'
