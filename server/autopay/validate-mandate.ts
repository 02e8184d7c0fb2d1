import type { createMandate as call } from '#contract/autopay.ts'
import type { RequestOf } from '#contract/endpoint.ts'
import { isAccountNumber, isIfsc } from '#domain/autopay.ts'
import { refuseCap, type MethodOffer } from '#domain/autopay-offer.ts'
import { paiseToRupeesText, type Paise } from '#domain/money.ts'
import type { MandateAccount } from '../adapters/payment-gateway/recurring-gateway.ts'
import { fieldInvalid } from './autopay-refusals.ts'
import { consentVersion } from './consent.ts'

type Body = RequestOf<typeof call>['body']

/** @throws Failure AutopayFieldInvalid unless the borrower agreed to the present text. */
export function refuseConsent({ consent_version }: Body): void {
  if (consent_version !== consentVersion)
    throw fieldInvalid('consent_version', 'The text has changed. Read the present text and agree to it.')
}

/**
 * The account of an eMandate; null for UPI. No refusal repeats what was entered.
 *
 * @throws Failure AutopayFieldInvalid naming the first wrong field.
 */
export function readAccount({ method, auth_type, account }: Body): MandateAccount | null {
  if (method === 'upi') return null
  if (auth_type === undefined) throw fieldInvalid('auth_type', 'Choose how you approve it at your bank.')
  if (account === undefined) throw fieldInvalid('account', 'Enter the account to be debited.')
  const beneficiaryName = account.beneficiary_name.trim()
  if (beneficiaryName.length < 4 || beneficiaryName.length > 120)
    throw fieldInvalid('account.beneficiary_name', 'The name must have 4 to 120 characters, as at the bank.')
  if (!isAccountNumber(account.account_number)) throw fieldInvalid('account.account_number', 'The account number must have 9 to 18 digits.')
  if (!isIfsc(account.ifsc_code))
    throw fieldInvalid('account.ifsc_code', 'The IFSC has 11 characters: four capital letters, 0, and six letters or digits.')
  return { beneficiaryName, accountNumber: account.account_number, accountType: account.account_type, ifsc: account.ifsc_code }
}

/**
 * The cap of the mandate: the one on offer, unless the borrower raises it.
 *
 * @throws Failure AutopayFieldInvalid if it is below the offer or above the method's limit.
 */
export function chooseMaximum({ max_amount }: Body, offered: MethodOffer): Paise {
  if (max_amount === undefined) return offered.maximumPaise
  switch (refuseCap(max_amount, offered)) {
    case 'below_offer':
      throw fieldInvalid('max_amount', `The limit must be at least ₹${paiseToRupeesText(offered.maximumPaise)}, so that instalments fit.`)
    case 'above_limit':
      throw fieldInvalid('max_amount', `The limit can be at most ₹${paiseToRupeesText(offered.limitPaise)}.`)
    case null:
      return max_amount
  }
}
