declare const unit: unique symbol

/** Whole paise. Rupees exist only on the wire and on the screen. */
export type Paise = bigint & { readonly [unit]: 'paise' }

/** Marks a whole number of paise as money. The one way to make money from a number. */
export const paise = (value: bigint): Paise => value as Paise

export const zeroPaise: Paise = paise(0n)
