import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { Paise } from '#domain/money.ts'
import type { Schedule } from '#web/loan/loan-queries.ts'
import { isBelowLinkMinimum, isPaidWithLaterEmi } from './pay/payment-options.ts'
import type { PaymentOptionKind } from './payments-controller.ts'

export const optionText: Record<PaymentOptionKind, MessageDescriptor> = {
  overdue: msg`Overdue amount`,
  next_emi: msg`Next EMI`,
  part_payment: msg`Part payment`,
  foreclosure: msg`Foreclosure`,
}

/** What becomes of an amount that is less than a payment link may carry; null if it is not. */
export function findSmallAmountText(kind: PaymentOptionKind, amount: Paise, schedule: Schedule): MessageDescriptor | null {
  if (!isBelowLinkMinimum(amount)) return null
  if (isPaidWithLaterEmi(kind, schedule)) return msg`Less than ₹1: pay it with a later EMI.`
  return msg`Less than ₹1 is too little for a payment link. Ask your lender about it.`
}
