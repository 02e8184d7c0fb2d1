/**
 * The text with Latin digits: a Hindi keyboard types ०–९ (U+0966 on). The verification page needs
 * only this of all that digits.ts does.
 */
export const toLatinDigits = (text: string): string => text.replace(/[०-९]/g, (digit) => String(digit.charCodeAt(0) - 0x0966))
