import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { operationRefusals, type DecisionCause, type OperationRefusal } from '#domain/operations.ts'
import { resetAheadDaysMax, resetNoticeDays } from '#domain/rate-resets.ts'

const refusalTexts: Record<OperationRefusal, MessageDescriptor> = {
  benchmark_not_used: msg`No loan product follows this benchmark.`,
  benchmark_without_rate: msg`This benchmark has no rate for that day. Publish its rate first.`,
  charge_before_closing: msg`The loan was closed on this day or later. Choose a day after the closing.`,
  charge_before_payments: msg`Payments since this day would no longer pay what they had paid. Choose a later day.`,
  charge_not_allowed: msg`This charge is not allowed for this loan.`,
  charge_not_open: msg`This charge has no unpaid part.`,
  charge_waived: msg`This charge was waived before.`,
  credit_not_returnable: msg`A part of it was paid outside the provider or too long ago. Refund that part by bank transfer.`,
  credit_refunded: msg`It would use credit that has been refunded since.`,
  credit_too_small: msg`The borrower’s credit is smaller than this amount.`,
  day_before_sanction: msg`The loan was sanctioned after this day. Choose a day from the sanction on.`,
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
  penal_without_tax: msg`A penal charge has no GST. Leave GST empty.`,
  personal_data: msg`Leave out phone numbers, e-mail addresses, UPI IDs and PANs: the text is kept permanently.`,
  rate_published: msg`There is a rate of this day already, and a published rate never changes.`,
  reference_proposed: msg`An open proposal has this bank reference already.`,
  reference_taken: msg`A payment or refund with this bank reference is recorded already.`,
  refund_before_request: msg`The refund was requested after this day. Enter the day on which the bank sent it.`,
  refund_money_gone: msg`The bank has taken back the money of this refund. Send nothing. See the difference that names it.`,
  reset_already_effective: msg`The new rate applies already, so it can no longer be withdrawn.`,
  reset_too_far: msg`The day is more than ${resetAheadDaysMax} days ahead. Choose an earlier one.`,
  reset_too_soon: msg`Borrowers are told at least ${resetNoticeDays} days before. Choose a later day.`,
  reset_unknown: msg`This loan has no such change of its rate.`,
  reset_withdrawn: msg`This change of the rate was withdrawn before.`,
  review_resolved: msg`This difference was resolved before.`,
  run_under_way: msg`A run for this benchmark and day is under way.`,
  taken_amount: msg`The bank cannot have taken this amount: compare it with what is left of the payment after its refunds.`,
  text_too_short: msg`This text is too short.`,
  tranche_decided: msg`This request has been decided already.`,
  tranche_imported_differs: msg`The imported loan book has this disbursal with another amount or day. Enter the day of the book.`,
  tranche_not_approved: msg`Only an approved disbursal can be paid out.`,
  tranche_unknown: msg`This loan has no such request for a disbursal.`,
}

/** The refusal NotFound. */
export const notFoundText = msg`Nothing was found under this address. Go back and open it again.`

/** The refusal ChargeNotDisclosed. */
export const notDisclosedText = msg`The key facts statement does not list this charge, so it cannot be added.`

/** Why the portal ended a proposal, in the reader's language; null if people decided. */
export const findCauseText = (cause: DecisionCause | null): MessageDescriptor | null =>
  cause === 'maker_disabled' ? msg`The account of the person who proposed it was disabled.` : cause && refusalTexts[cause]

/** Why an operation was refused, in the reader's language; null for a reason without a sentence. */
export const findRefusalText = (refusal: string | undefined): MessageDescriptor | null =>
  operationRefusals.some((known) => known === refusal) ? refusalTexts[refusal as OperationRefusal] : null
