import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { PaymentOptionKind } from './payments-controller.ts'

export const optionText: Record<PaymentOptionKind, MessageDescriptor> = {
  overdue: msg`Overdue amount`,
  next_emi: msg`Next EMI`,
  part_payment: msg`Part payment`,
  foreclosure: msg`Foreclosure`,
}
