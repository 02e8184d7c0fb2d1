import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { ResetChoice } from '#domain/rate-resets.ts'

/** The names of the options. */
export const choiceText: Record<ResetChoice, MessageDescriptor> = {
  keep_emi: msg`Keep the EMI`,
  keep_tenor: msg`Keep the end date`,
  between: msg`An EMI in between`,
  part_payment: msg`Pay a part now`,
}

/** What each option means. */
export const choiceMeaning: Record<ResetChoice, MessageDescriptor> = {
  keep_emi: msg`The number of instalments changes`,
  keep_tenor: msg`The EMI changes`,
  between: msg`Both change, as you decide`,
  part_payment: msg`Both the EMI and the end date stay`,
}
