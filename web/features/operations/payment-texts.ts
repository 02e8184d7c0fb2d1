import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { PaymentLink } from '#contract/payments.ts'
import type { RefundReason, RefundStatus } from '#domain/refunds.ts'

export const linkStatusText: Record<PaymentLink['status'], MessageDescriptor> = {
  created: msg`Not paid`,
  paid: msg`Paid`,
  partially_paid: msg`Partly paid`,
  expired: msg`Expired`,
  cancelled: msg`Cancelled`,
}

export const refundStatusText: Record<RefundStatus, MessageDescriptor> = {
  asked: msg`Not sent yet`,
  pending: msg`On its way`,
  processed: msg`Sent`,
  failed: msg`Failed`,
}

export const refundReasonText: Record<RefundReason | 'taken_by_bank', MessageDescriptor> = {
  duplicate: msg`Paid twice`,
  nothing_due: msg`Nothing was due`,
  excess: msg`Borrower’s credit`,
  by_lender: msg`Refunded at the provider`,
  taken_by_bank: msg`Taken back by the bank`,
}
