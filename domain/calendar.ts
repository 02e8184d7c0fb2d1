declare const kind: unique symbol

/** A calendar date in India, `YYYY-MM-DD`. Days compare with `<` as text. */
export type Day = string & { readonly [kind]: 'day' }
