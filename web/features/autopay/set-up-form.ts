import type { AutopayOfferOnWire } from '#contract/autopay.ts'
import { isAccountNumber, isIfsc, type MandateAuthType } from '#domain/autopay.ts'
import type { Paise } from '#domain/money.ts'
import { parseRupeesInput } from '#web/ui/format.ts'
import { toLatinDigits } from '#web/ui/latin-digits.ts'
import type { MandateRequest } from './autopay-queries.ts'

export type MethodOffer = AutopayOfferOnWire['methods'][number]

/** The account of an eMandate as it was typed. It is held by the open form alone. */
export type AccountEntry = {
  approval: MandateAuthType | null
  name: string
  number: string
  type: 'savings' | 'current' | null
  ifsc: string
}

export const emptyAccount: AccountEntry = { approval: null, name: '', number: '', type: null, ifsc: '' }

/**
 * Digits alone: account numbers are read out with spaces, and pasted with invisible characters. One
 * that is too long is not cut, because the rest would be another number.
 */
export const cleanAccountNumber = (text: string): string => toLatinDigits(text).replace(/[\s\p{Cf}-]/gu, '')

export const cleanIfsc = (text: string): string => toLatinDigits(text).replace(/\s/g, '').toUpperCase().slice(0, 11)

/** The fields of an account that are not valid. The name has 4 to 120 characters (Razorpay). */
export function findAccountProblems({ approval, name, number, type, ifsc }: AccountEntry): ReadonlySet<keyof AccountEntry> {
  const length = name.trim().length
  const isValid: Record<keyof AccountEntry, boolean> = {
    approval: approval !== null,
    name: length >= 4 && length <= 120,
    number: isAccountNumber(number),
    type: type !== null,
    ifsc: isIfsc(ifsc),
  }
  return new Set((Object.keys(isValid) as (keyof AccountEntry)[]).filter((field) => !isValid[field]))
}

type CapProblem = 'not_an_amount' | 'below_offer' | 'above_limit'

/** The cap as it was typed, in whole rupees. */
export function readCap(text: string, { max_amount: least, limit }: MethodOffer): { amount: Paise } | { problem: CapProblem } {
  const amount = parseRupeesInput(text)
  if (amount === null) return { problem: 'not_an_amount' }
  if (amount < least) return { problem: 'below_offer' }
  return amount > limit ? { problem: 'above_limit' } : { amount }
}

/** The limit that the form begins with: what the method offers, or more if more is needed. */
export const chooseFirstCap = ({ max_amount: offered, limit }: MethodOffer, needed: Paise): Paise =>
  needed <= offered ? offered : needed < limit ? needed : limit

type Entry = { offer: AutopayOfferOnWire; method: MethodOffer; capText: string; account: AccountEntry; hasConsented: boolean }

/** What the form asks the server for; null while something of it is not valid. */
export function buildMandateRequest({ offer, method, capText, account, hasConsented }: Entry): MandateRequest | null {
  const cap = readCap(capText, method)
  if (!hasConsented || 'problem' in cap) return null
  const request = { method: method.method, max_amount: cap.amount, consent_version: offer.consent_version }
  if (method.method === 'upi') return request
  const { approval, name, number, type, ifsc } = account
  if (findAccountProblems(account).size > 0 || approval === null || type === null) return null
  const sent = { beneficiary_name: name.trim(), account_number: number, account_type: type, ifsc_code: ifsc }
  return { ...request, auth_type: approval, account: sent }
}
