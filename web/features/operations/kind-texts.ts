import type { I18n, MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { RateChange } from '#domain/loans.ts'
import type { NoticeKind } from '#domain/notices.ts'
import type { OperationKind, recordedPaymentModes, recordedPurposes, reversalCauses } from '#domain/operations.ts'
import type { Proposal } from '#contract/operations.ts'
import { purposeText } from '#web/loan/purpose-text.ts'
import type { Tone } from '#web/ui/badge.tsx'
import { formatCode } from '#web/ui/format.ts'
import type { IconName } from '#web/ui/icon.tsx'
import type { FieldProblemCode } from './operation-fields.ts'
import type { LoanRecord } from './operations-queries.ts'

type KindTexts = {
  /** What a proposal of this kind does. */
  name: MessageDescriptor
  /** When to use it, above its fields. */
  hint: MessageDescriptor
  /** The notice that the borrower gets; null if there is none. */
  notice: NoticeKind | null
}

export const kindTexts: Record<OperationKind, KindTexts> = {
  charge_add: {
    name: msg`Add a charge`,
    hint: msg`The borrower owes the charge and its GST from its date. A penal charge has no GST.`,
    notice: 'charge_added',
  },
  charge_waive: {
    name: msg`Waive a charge`,
    hint: msg`Waives the unpaid part of the charge, and the GST on it. What was already paid is kept.`,
    notice: 'charge_waived',
  },
  payment_record: {
    name: msg`Record a payment`,
    hint: msg`For money that reached the lender’s bank without a payment link.`,
    notice: 'payment_applied',
  },
  payment_reverse: {
    name: msg`Reverse a payment`,
    hint: msg`The payment stops counting, and later payments are applied again.`,
    notice: 'payment_reversed',
  },
  tranche_approve: {
    name: msg`Approve a disbursal request`,
    hint: msg`The borrower is notified. No money moves until the payout.`,
    notice: 'tranche_approved',
  },
  tranche_reject: {
    name: msg`Reject a disbursal request`,
    hint: msg`The borrower is notified and can request again.`,
    notice: 'tranche_rejected',
  },
  tranche_release: {
    name: msg`Pay out a disbursal`,
    hint: msg`Enter the day on which the bank paid it out. Interest runs from that day.`,
    notice: 'tranche_released',
  },
  credit_refund: {
    name: msg`Refund extra money`,
    hint: msg`Sends money that was not due back to the account that it came from.`,
    notice: 'refund_asked',
  },
  credit_return: {
    name: msg`Record a refund by bank transfer`,
    hint: msg`For extra money that the lender’s bank sent back, because the provider refused the refund, or because the money did not come through a payment link or came too long ago.`,
    notice: 'refund_processed',
  },
  foreclosure_waive: {
    name: msg`Waive the rest of a foreclosure`,
    hint: msg`Waives what is left after a foreclosure that fell short, within the product’s limit, and closes the loan.`,
    notice: 'foreclosure_waived',
  },
  review_resolve: {
    name: msg`Resolve a difference`,
    hint: msg`Moves no money. Write what you found and what was done.`,
    notice: null,
  },
  benchmark_publish: {
    name: msg`Publish a benchmark rate`,
    hint: msg`The rate of a benchmark from a day on. A published rate never changes.`,
    notice: null,
  },
  rate_reset_run: {
    name: msg`Reset floating rates`,
    hint: msg`Computes the new rate of every loan under the benchmark and notifies the borrowers.`,
    notice: null,
  },
  rate_reset_withdraw: {
    name: msg`Withdraw a rate reset`,
    hint: msg`Withdraws a new rate before its day. The borrower is notified if the new rate was announced.`,
    notice: 'rate_reset_withdrawn',
  },
  paper_publish: {
    name: msg`Publish a paper`,
    hint: msg`The borrower can then open the paper in the portal.`,
    notice: 'paper_published',
  },
}

export const stateLook: Record<Proposal['state'], { text: MessageDescriptor; tone: Tone; icon?: IconName }> = {
  proposed: { text: msg`To be approved`, tone: 'caution' },
  executed: { text: msg`Executed`, tone: 'positive' },
  rejected: { text: msg`Rejected`, tone: 'danger', icon: 'close' },
  withdrawn: { text: msg`Withdrawn`, tone: 'neutral', icon: 'close' },
  expired: { text: msg`Expired`, tone: 'neutral', icon: 'clock' },
  failed: { text: msg`Failed`, tone: 'danger' },
}

export const modeText: Record<(typeof recordedPaymentModes)[number], MessageDescriptor> = {
  neft: msg`NEFT`,
  rtgs: msg`RTGS`,
  imps: msg`IMPS`,
  upi: msg`UPI`,
  cheque: msg`Cheque`,
  cash: msg`Cash`,
}

/** How a payment came; a mode that staff cannot record is shown as its code in words. */
export const getModeText = (i18n: I18n, mode: string): string =>
  mode in modeText ? i18n._(modeText[mode as keyof typeof modeText]) : formatCode(mode)

/** What a recorded payment is for. Empty: no purpose. */
export const recordedPurposeText: Record<'' | (typeof recordedPurposes)[number], MessageDescriptor> = {
  '': msg`What is due; the rest becomes credit`,
  FORECLOSURE: msg`Foreclosure, closes the loan`,
  PART_PAYMENT__REDUCE_EMI: purposeText.PART_PAYMENT__REDUCE_EMI,
  PART_PAYMENT__REDUCE_TENOR: purposeText.PART_PAYMENT__REDUCE_TENOR,
}

export const causeText: Record<(typeof reversalCauses)[number], MessageDescriptor> = {
  bounced: msg`Bounced`,
  chargeback: msg`Chargeback`,
  wrong_loan: msg`Wrong loan`,
  recorded_twice: msg`Recorded twice`,
  other: msg`Other cause`,
}

export const resetStateText: Record<LoanRecord['facts']['rate_resets'][number]['state'], MessageDescriptor> = {
  computed: msg`Not announced yet`,
  notified: msg`Announced`,
  chosen: msg`Chosen`,
  defaulted: msg`Not chosen`,
  effective: msg`In effect`,
  withdrawn: msg`Withdrawn`,
}

/** What stays when the rate changes. */
export const rateKeepText: Record<RateChange['keep'], MessageDescriptor> = {
  instalment: msg`Keep the EMI`,
  tenor: msg`Keep the end date`,
  both: msg`An EMI in between`,
}

/** Labels of the fields, by name on the wire. */
export const fieldText: Record<string, MessageDescriptor> = {
  charge_type: msg`Kind of charge`,
  amount: msg`Amount`,
  tax_percent: msg`GST, percent`,
  date: msg`Date`,
  charge_id: msg`Charge`,
  mode: msg`Payment mode`,
  purpose: msg`What it pays`,
  value_date: msg`Value date`,
  reference: msg`Bank reference or cheque number`,
  payment_id: msg`Payment`,
  cause: msg`Cause`,
  partner_tranche_id: msg`Disbursal`,
  resolution: msg`Resolution`,
  review_id: msg`Difference`,
  code: msg`Benchmark`,
  benchmark: msg`Benchmark`,
  annual_rate_percent: msg`Rate, percent a year`,
  effective_on: msg`From`,
  reset_id: msg`Rate reset`,
  paper_id: msg`Paper`,
}

export const fieldProblemText: Record<FieldProblemCode, MessageDescriptor> = {
  missing: msg`Fill in this field`,
  amount: msg`Please enter a valid amount`,
  percent: msg`A number such as 6.25, with at most seven decimals`,
  charge_type: msg`Use letters and digits, beginning with a letter`,
  reference: msg`Up to 64 letters and digits, without spaces`,
  words: msg`Write at least 3 characters`,
}
