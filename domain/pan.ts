/** Whether a text has the form of a PAN, an income-tax number, in capital letters. */
export const isPan = (text: string): boolean => /^[A-Z]{5}[0-9]{4}[A-Z]$/.test(text)

/**
 * A PAN with four characters masked: `ABCPE****F`. Masking
 * twice changes nothing.
 */
export const maskPan = (pan: string): string => `${pan.slice(0, 5)}****${pan.slice(-1)}`
