/**
 * Why staff opened an account. Stored in English within the reason, so that each reader sees it in
 * their own language.
 */
export const accessCategories = ['Payment', 'Documents', 'Disbursal', 'Details', 'Other'] as const
export type AccessCategory = (typeof accessCategories)[number]

/** A shorter text explains nothing to the borrower. The API does not require it (decision 16). */
export const reasonTextMin = 10
export const reasonTextMax = 250

/** One line without invisible characters. */
export const tidyText = (text: string): string =>
  text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .replace(/[\u202A-\u202E\u2066-\u2069]/g, '')
    .trim()

/** Whether the tidied text has at least `min` characters, of any script. */
export const isLongEnough = (text: string, min: number): boolean => Array.from(tidyText(text)).length >= min

/** 'Payment: Ticket 48213, cannot find the receipt'. */
export const writeReason = (category: AccessCategory, text: string): string => `${category}: ${tidyText(text)}`

/** A reason from elsewhere has no category. */
export function readReason(reason: string): { category: AccessCategory | null; text: string } {
  const category = accessCategories.find((name) => reason.startsWith(`${name}: `))
  return category === undefined ? { category: null, text: reason } : { category, text: reason.slice(category.length + 2) }
}
