/** What stands between the groups of a phone number. */
const gap = '[ )-]{0,2}'

/**
 * A phone number of India as people write it: with or without the country's code or a 0, in one
 * piece or in the usual groups. Not a part of a longer number, of an id or of an amount.
 */
export const phonePattern = new RegExp(
  String.raw`(?<![\w.-])\(?(?:(?:(?:\+|00)?91|0)${gap}\(?)?[6-9](?:\d{4}${gap}\d{5}|\d{2}${gap}\d{3}${gap}\d{4}|\d{3}${gap}\d{3}${gap}\d{3})(?![\w-])`,
  'g',
)

/** A PAN, also in small letters. */
export const panPattern = /\b[A-Z]{5}\d{4}[A-Z]\b/gi

/** A UPI ID, `name@bank`. An e-mail address begins as one. */
export const upiPattern = /(?<![\w.-])[\w.-]{2,}@[a-z][a-z\d]{2,}/gi
