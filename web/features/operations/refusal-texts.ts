import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { operationRefusals, type OperationRefusal } from '#domain/operations.ts'

const refusalTexts: Record<OperationRefusal, MessageDescriptor> = {
  charge_not_open: msg`Nothing of this charge is unpaid.`,
  charge_waived: msg`This charge was waived before.`,
  credit_not_returnable: msg`A part of it was paid outside the provider or too long ago. Refund that part by bank transfer.`,
  credit_refunded: msg`It would use credit that has been refunded since.`,
  credit_too_small: msg`The borrower’s credit is smaller than this amount.`,
  day_outside: msg`The day must be between the day of the charge and today.`,
  facts_do_not_allow: msg`The payments and disbursals of this loan do not allow it. Check the amount and the day.`,
  foreclosure_not_short: msg`No foreclosure of this loan fell short, so there is nothing to waive.`,
  foreclosure_nothing_left: msg`Nothing is left to pay on this loan.`,
  foreclosure_above_maximum: msg`More is left to pay than the product allows to be waived.`,
  future_date: msg`The day cannot be in the future.`,
  input_invalid: msg`This entry is not valid.`,
  loan_closed: msg`This loan is closed.`,
  paper_published: msg`The borrower has this document already.`,
  payment_ambiguous: msg`Several payments have this reference. Choose the payment from the list.`,
  payment_refunded: msg`This payment has been refunded and cannot be reversed.`,
  payment_reversed: msg`This payment was reversed before.`,
  payment_unknown: msg`This loan has no such payment.`,
  personal_data: msg`Leave out phone numbers, e-mail addresses and PANs: the text is kept permanently.`,
  rate_published: msg`There is a rate of this day already, and a published rate never changes.`,
  reference_proposed: msg`An open proposal has this bank reference already.`,
  reference_taken: msg`A payment with this bank reference is recorded already.`,
  review_resolved: msg`This difference was resolved before.`,
  text_too_short: msg`This text is too short.`,
  tranche_decided: msg`This request has been decided already.`,
  tranche_not_approved: msg`Only an approved disbursal can be paid out.`,
  tranche_unknown: msg`This loan has no such request for a disbursal.`,
}

/** Why an operation was refused, in the reader's language; null for a reason without a sentence. */
export const findRefusalText = (refusal: string | undefined): MessageDescriptor | null =>
  operationRefusals.some((known) => known === refusal) ? refusalTexts[refusal as OperationRefusal] : null
