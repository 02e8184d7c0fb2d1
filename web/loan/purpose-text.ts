import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { PaymentPurpose } from '#domain/payments.ts'

/** A payment's purpose, as a heading or in a list. */
export const purposeText: Record<PaymentPurpose, MessageDescriptor> = {
  PAY_EMI: msg`Next EMI`,
  OVERDUE: msg`Overdue amount`,
  FORECLOSURE: msg`Foreclosure`,
  PART_PAYMENT__REDUCE_EMI: msg`Part payment, reduces EMI`,
  PART_PAYMENT__REDUCE_TENOR: msg`Part payment, reduces tenor`,
}

/** The purpose of a completed payment: its EMI is no longer the next one. */
export const pastPurposeText: Record<PaymentPurpose, MessageDescriptor> = { ...purposeText, PAY_EMI: msg`EMI` }
