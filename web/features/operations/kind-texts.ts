import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { OperationKind, recordedPaymentModes, reversalCauses } from '#domain/operations.ts'
import type { Proposal } from '#contract/operations.ts'
import type { TrancheStage } from '#domain/tranches.ts'
import type { Tone } from '#web/ui/badge.tsx'
import type { IconName } from '#web/ui/icon.tsx'
import type { FieldProblemCode } from './operation-fields.ts'

/** What a proposal does. */
export const kindText: Record<OperationKind, MessageDescriptor> = {
  charge_add: msg`Add a charge`,
  charge_waive: msg`Waive a charge`,
  payment_record: msg`Record a payment`,
  payment_reverse: msg`Reverse a payment`,
  tranche_approve: msg`Approve a disbursal request`,
  tranche_reject: msg`Reject a disbursal request`,
  tranche_release: msg`Pay out a disbursal`,
  credit_refund: msg`Refund extra money`,
  foreclosure_waive: msg`Waive the rest of a foreclosure`,
  review_resolve: msg`Resolve a difference`,
}

/** When to use a kind, above its fields. */
export const kindHint: Record<OperationKind, MessageDescriptor> = {
  charge_add: msg`The borrower owes it from its date on, with tax where the product says so.`,
  charge_waive: msg`What is still unpaid of the charge is given up. What was paid stays paid.`,
  payment_record: msg`Money that reached the lender’s bank another way than by a payment link.`,
  payment_reverse: msg`The payment no longer counts, as if it had never come. Later payments are applied again.`,
  tranche_approve: msg`The borrower is told. No money moves before the payout.`,
  tranche_reject: msg`The borrower is told, and may ask again.`,
  tranche_release: msg`Record the payout on the day on which the bank made it. Interest runs from that day.`,
  credit_refund: msg`Money that nothing is due for goes back to the account it came from.`,
  foreclosure_waive: msg`Gives up what is left after a foreclosure that fell short, within the product’s limit, and closes the loan.`,
  review_resolve: msg`Resolving changes no money. Say what you found and what was done.`,
}

/** The notice that the borrower gets; null of a kind without one. */
export const noticeText: Record<OperationKind, MessageDescriptor | null> = {
  charge_add: msg`A charge was added to your loan.`,
  charge_waive: msg`A charge was waived.`,
  payment_record: msg`A payment was received.`,
  payment_reverse: msg`A payment was reversed.`,
  tranche_approve: msg`Your lender approved a disbursal.`,
  tranche_reject: msg`Your lender rejected a request.`,
  tranche_release: msg`A disbursal has been paid out.`,
  credit_refund: msg`A refund is on its way to you.`,
  foreclosure_waive: msg`The rest of your loan was waived, and the loan is closed.`,
  review_resolve: null,
}

/** The entry in the borrower's list of staff actions. */
export const actText: Record<OperationKind, MessageDescriptor> = {
  charge_add: msg`Added a charge`,
  charge_waive: msg`Waived a charge`,
  payment_record: msg`Recorded a payment`,
  payment_reverse: msg`Reversed a payment`,
  tranche_approve: msg`Approved a disbursal request`,
  tranche_reject: msg`Rejected a disbursal request`,
  tranche_release: msg`Paid out a disbursal`,
  credit_refund: msg`Refunded extra money`,
  foreclosure_waive: msg`Waived the rest of a foreclosure`,
  review_resolve: msg`Settled a question about a payment`,
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

export const causeText: Record<(typeof reversalCauses)[number], MessageDescriptor> = {
  bounced: msg`Bounced`,
  chargeback: msg`Chargeback`,
  wrong_loan: msg`Wrong loan`,
  recorded_twice: msg`Recorded twice`,
  other: msg`Other cause`,
}

export const trancheStageText: Record<TrancheStage, MessageDescriptor> = {
  requested: msg`Requested`,
  approved: msg`Approved`,
  released: msg`Disbursed`,
  rejected: msg`Rejected`,
}

/** Labels of the fields, by name on the wire. */
export const fieldText: Record<string, MessageDescriptor> = {
  charge_type: msg`Kind of charge`,
  amount: msg`Amount`,
  date: msg`Date`,
  charge_id: msg`Charge`,
  mode: msg`Came by`,
  value_date: msg`Value date`,
  reference: msg`Bank reference or cheque number`,
  payment_id: msg`Payment`,
  cause: msg`Cause`,
  partner_tranche_id: msg`Disbursal`,
  resolution: msg`Resolution`,
  review_id: msg`Difference`,
}

export const fieldProblemText: Record<FieldProblemCode, MessageDescriptor> = {
  missing: msg`This is needed`,
  amount: msg`Please enter a valid amount`,
  charge_type: msg`Use letters and digits, beginning with a letter`,
  reference: msg`Up to 64 letters and digits, without spaces`,
  words: msg`Write at least 3 characters`,
}
