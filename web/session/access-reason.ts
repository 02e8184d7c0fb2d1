/** Why staff opened an account, in one word. Kept in English inside the reason, so that each reader can be told in their own language. */
export const accessCategories = ['Payment', 'Documents', 'Disbursal', 'Details', 'Other'] as const
export type AccessCategory = (typeof accessCategories)[number]

/** Fewer characters than this say nothing to the borrower who reads them. */
export const reasonTextMin = 10
export const reasonTextMax = 250

/** Words on one line: a reason is one sentence on the wire, and nothing in it that cannot be seen. */
export const tidyText = (text: string): string =>
  text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .replace(/[\u202A-\u202E\u2066-\u2069]/g, '')
    .trim()

/** 'Payment: Ticket 48213, cannot find the receipt'. */
export const writeReason = (category: AccessCategory, text: string): string => `${category}: ${tidyText(text)}`

/** The two parts of a reason; one that was written elsewhere has no category. */
export function readReason(reason: string): { category: AccessCategory | null; text: string } {
  const category = accessCategories.find((name) => reason.startsWith(`${name}: `))
  return category === undefined ? { category: null, text: reason } : { category, text: reason.slice(category.length + 2) }
}
