/**
 * A PAN (ten characters, an income-tax number) with four characters masked: `ABCPE****F`. Masking
 * twice changes nothing.
 */
export const maskPan = (pan: string): string => `${pan.slice(0, 5)}****${pan.slice(-1)}`
