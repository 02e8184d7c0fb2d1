import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { ReviewKind } from '#domain/reviews.ts'

type ReviewText = {
  title: MessageDescriptor
  meaning: MessageDescriptor
  /** What may be done. */
  action: MessageDescriptor
}

const askProvider = msg`Nothing was applied to the loan. Ask the payment provider which payment it is, then resolve this with the answer.`

/** Each kind of difference: what it means and what may be done. */
export const reviewText: Record<ReviewKind, ReviewText> = {
  reference_mismatch: {
    title: msg`Another reference`,
    meaning: msg`The provider reported a payment under a reference that is not the link’s.`,
    action: askProvider,
  },
  payment_link_id_mismatch: {
    title: msg`Another payment link`,
    meaning: msg`The provider reported a payment of a link other than the one requested.`,
    action: askProvider,
  },
  amount_mismatch: {
    title: msg`Another amount`,
    meaning: msg`The provider reported a link with an amount other than the one requested.`,
    action: askProvider,
  },
  currency_mismatch: {
    title: msg`Another currency`,
    meaning: msg`The provider reported a payment in a currency other than rupees.`,
    action: askProvider,
  },
  amount_over: {
    title: msg`More than the link’s amount`,
    meaning: msg`More was paid by a link than its amount. The rest is the borrower’s credit.`,
    action: msg`Refund the extra money, or leave it as credit for the next due date. Then resolve this.`,
  },
  foreclosure_short: {
    title: msg`Foreclosure fell short`,
    meaning: msg`A payment to close the loan was too small. It repaid what was due and principal; the borrower knows what is missing.`,
    action: msg`Wait for the rest, waive the charge, or waive the rest of the foreclosure. Then resolve this.`,
  },
  late_for_purpose: {
    title: msg`Foreclosure or part payment too late`,
    meaning: msg`Money to close the loan or to repay principal came after its link had ended, or after credit of it had been refunded. It paid what was due; the rest is the borrower’s credit.`,
    action: msg`Ask the borrower what the rest is for. Refund it, or leave it as credit for the next due dates. Then resolve this.`,
  },
  credit_on_closed_loan: {
    title: msg`Credit on a closed loan`,
    meaning: msg`The borrower’s money could not be sent back: it is below ₹1, did not come through the provider, or is older than 180 days.`,
    action: msg`Send it by bank transfer before the date it is due, and record it with “Record a refund by bank transfer”. That settles this.`,
  },
  refund_short: {
    title: msg`Refunded credit is missing`,
    meaning: msg`Credit was refunded, and the bank has since taken back the money that it was part of.`,
    action: msg`Compare “Unsent” with “Short”. Equal: nothing is missing. Unsent is larger: ask the borrower for the short amount and what is due, then send those refunds again. Unsent is smaller or absent: ask for the difference and what is due. Record what comes by bank transfer as a payment. Then resolve this.`,
  },
  refund_failed: {
    title: msg`Refund failed`,
    meaning: msg`The provider refused a refund, or the bank has taken back its money before it was sent.`,
    action: msg`If its money was taken back, send nothing: see “Refunded credit is missing”, or, if its payment was disputed, reverse that as a chargeback. Otherwise ask the provider for the cause. When it is removed, send the refund again with the operator’s tool, and resolve this. If it cannot be removed, send the amount by bank transfer and record it with “Record a refund by bank transfer”: that settles this. If the refund was made at the provider, only resolve this: its payment counts for the loan again.`,
  },
  refund_by_lender: {
    title: msg`Refunded at the provider`,
    meaning: msg`Somebody refunded a payment in the provider’s dashboard. What it had paid is due again.`,
    action: msg`Find out who did it and why, tell the borrower, and resolve this.`,
  },
  refund_mismatch: {
    title: msg`Refund without a payment`,
    meaning: msg`The provider reported a refund that fits no payment, or that the lender’s bank had sent already.`,
    action: msg`If the lender’s bank had sent it, ask the borrower for what came twice. Otherwise ask the payment provider which payment it is. Then resolve this with the answer.`,
  },
  dispute: {
    title: msg`Disputed by the payer’s bank`,
    meaning: msg`The payer’s bank wants a payment back.`,
    action: msg`Answer the dispute at the provider. If the bank takes the money, reverse the payment with the cause Chargeback, and enter the amount if it is a part. If the facts name a bank reference, staff moved the money here: reverse what is recorded under that reference. Then resolve this.`,
  },
  unknown_payment: {
    title: msg`Payment without a link`,
    meaning: msg`The provider captured a payment that belongs to no payment link of the portal.`,
    action: msg`Find out which loan it was for, and record it there once the bank has received it, or refund it at the provider. Then resolve this.`,
  },
  settlement_amount: {
    title: msg`Settlement does not add up`,
    meaning: msg`The amount that the provider paid out is not the sum of the settlement’s lines.`,
    action: msg`Ask the provider for the missing line. Then resolve this.`,
  },
  settlement_line: {
    title: msg`Settlement line without a payment`,
    meaning: msg`A line of a settlement belongs to no payment of the portal.`,
    action: askProvider,
  },
  not_posted: {
    title: msg`Payment not applied yet`,
    meaning: msg`A captured payment could not be applied to the loan. The portal tries again every minute, and removes it from this list once that succeeds.`,
    action: msg`Never record the payment by hand: it would count twice. If it is still listed after an hour, give the engineers the loan number.`,
  },
  not_settled: {
    title: msg`Not paid out by the provider`,
    meaning: msg`A payment was captured more than a week ago and is in no settlement.`,
    action: msg`Ask the provider for the settlement. Then resolve this.`,
  },
  not_reconciled: {
    title: msg`Could not be compared`,
    meaning: msg`One payment, settlement or line could not be compared with the provider. The portal tries again on the next three mornings.`,
    action: msg`If it is still listed after three days, call the engineers. Then resolve this.`,
  },
  duplicate_bank_reference: {
    title: msg`Bank reference used twice`,
    meaning: msg`Two payments have the same bank reference. Either staff recorded one that also came by payment link or autopay, or both were recorded before references had to be unique.`,
    action: msg`If the facts say “reversed”, the provider’s payment alone counts: if the bank’s statement has a second transfer, record that with its own reference. If they say “counts alone”, reverse the recorded payment: its money went back. Otherwise reverse the payment that should not count, never the provider’s. Then resolve this.`,
  },
  debit_amount: {
    title: msg`Debit of another amount`,
    meaning: msg`Autopay debited another amount than was announced. The money counts for the loan as it came.`,
    action: msg`Ask the payment provider why. Refund what is too much, or reverse the payment. Then resolve this.`,
  },
  debit_failed: {
    title: msg`Debit failed for an unknown reason`,
    meaning: msg`Autopay failed for a reason that no rule decides.`,
    action: msg`Ask the payment provider what the reason means, and tell the borrower. Then resolve this.`,
  },
  debit_overdue: {
    title: msg`Debit without an outcome`,
    meaning: msg`The outcome of a debit is a day late. Until the bank reports it, the borrower cannot pay by link.`,
    action: msg`Ask the payment provider. The portal takes over the outcome by itself. Then resolve this.`,
  },
  debit_return: {
    title: msg`Debit taken back`,
    meaning: msg`The bank took back the money of a debit, and no rule decides what follows.`,
    action: msg`Compare the amount with the loan, and reverse the payment if it is gone. Then resolve this.`,
  },
  registration_kept: {
    title: msg`₹1 not sent back`,
    meaning: msg`The ₹1 with which a borrower approved autopay was not sent back after three days.`,
    action: msg`Have the payment provider send it back. Then resolve this.`,
  },
  mandate_end: {
    title: msg`Autopay not ended`,
    meaning: msg`Autopay of a loan is to end, and the payment provider has not confirmed it for three days. The portal debits nothing.`,
    action: msg`Have the payment provider end the mandate. The portal asks again by itself, and the confirmation settles this.`,
  },
}
