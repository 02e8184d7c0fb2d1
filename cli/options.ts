import { InvalidArgumentError } from 'commander'
import { existsSync, statSync } from 'node:fs'
import { chargeIdPattern, referencePattern } from '#contract/identifier.ts'
import { isPlainText } from '#contract/text.ts'
import { parseDay, type Day } from '#domain/calendar.ts'
import type { RatePpb } from '#domain/loans.ts'
import { parseRupees, zeroPaise, type Paise } from '#domain/money.ts'
import { isPan } from '#domain/pan.ts'
import { parsePercent, percentToPpb } from '#domain/rates.ts'
import { redactPersonalData } from '#server/log.ts'

/**
 * Parsers of option values. Each throws InvalidArgumentError, which commander prints with the
 * option's name.
 */

export function amountOption(text: string): Paise {
  const amount = parseRupees(text)
  if (amount === null || amount <= zeroPaise)
    throw new InvalidArgumentError('It must be rupees above 0 with at most two decimals, such as 1234.50.')
  return amount
}

export function dayOption(text: string): Day {
  const day = parseDay(text)
  if (day === null) throw new InvalidArgumentError('It must be a date like 2026-12-05.')
  return day
}

/** `+91` and ten digits, as it is stored; ten bare digits mean +91 (decision 29). */
export function phoneOption(text: string): string {
  if (/^[0-9]{10}$/.test(text)) return `+91${text}`
  if (/^\+[0-9]{11,13}$/.test(text)) return text
  throw new InvalidArgumentError('It must be ten digits, or + with the country code.')
}

/** A reference that the ledger keeps: a UTR, a cheque number, a file number. */
export function referenceOption(text: string): string {
  if (referencePattern.test(text)) return text
  throw new InvalidArgumentError('It must be 1 to 64 characters without spaces, a letter or digit among them.')
}

/** The id of a charge, which is longer than the reference in it. */
export function chargeOption(text: string): string {
  if (chargeIdPattern.test(text)) return text
  throw new InvalidArgumentError('It must be 1 to 100 characters without spaces.')
}

export function chargeTypeOption(text: string): string {
  if (/^[A-Z][A-Z0-9_]{1,39}$/.test(text)) return text
  throw new InvalidArgumentError('It must be capital letters, digits and underscores, such as BOUNCE_CHARGE.')
}

export function benchmarkOption(text: string): string {
  if (/^[A-Z][A-Z0-9_]{1,39}$/.test(text)) return text
  throw new InvalidArgumentError('It must be capital letters, digits and underscores, such as RBI_REPO.')
}

/** A percentage up to 100, in parts per billion. */
export function percentOption(text: string): RatePpb {
  const ratePpb = parsePercent(text)
  if (ratePpb !== null && ratePpb <= percentToPpb(100)) return ratePpb
  throw new InvalidArgumentError('It must be a percentage from 0 to 100, such as 18 or 12.5.')
}

/** @throws InvalidArgumentError for characters that the web refuses too. */
function shownText(text: string): string {
  if (isPlainText(text)) return text.trim()
  throw new InvalidArgumentError('It must have no character that cannot be shown.')
}

/** A reason that the audit keeps for ever: without phone number, e-mail address, UPI ID or PAN. */
export function reasonOption(text: string): string {
  const words = shownText(text)
  if (words.length < 3 || words.length > 300) throw new InvalidArgumentError('It must be 3 to 300 characters.')
  if (redactPersonalData(words) === words) return words
  throw new InvalidArgumentError('It must contain no phone number, e-mail address, UPI ID or PAN: the access log keeps it permanently.')
}

/** The first or last name of a person. */
export function nameOption(text: string): string {
  const name = shownText(text)
  if (name.length >= 1 && name.length <= 100) return name
  throw new InvalidArgumentError('It must be 1 to 100 characters.')
}

/** What an e-mail address looks like, here and in an imported book. */
export const emailPattern = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

/** An e-mail address. */
export function emailOption(text: string): string {
  const email = shownText(text)
  if (emailPattern.test(email) && email.length <= 254) return email
  throw new InvalidArgumentError('It must be an e-mail address of at most 254 characters.')
}

/** A PAN, stored in capital letters. */
export function panOption(text: string): string {
  const pan = text.trim().toUpperCase()
  if (isPan(pan)) return pan
  throw new InvalidArgumentError('It must be five letters, four digits and a letter.')
}

export const listOption = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)

/** The path of an existing file. */
export function fileArgument(path: string): string {
  if (!existsSync(path) || !statSync(path).isFile()) throw new InvalidArgumentError('There is no such file.')
  return path
}
