import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { AccessCategory } from './access-reason.ts'

/** What an account was opened for, to those who choose it and to those who read it: `_(accessCategoryText[category])`. */
export const accessCategoryText: Record<AccessCategory, MessageDescriptor> = {
  Payment: msg`Payment or receipt`,
  Documents: msg`Documents`,
  Disbursal: msg`Disbursal`,
  Details: msg`Personal details`,
  Other: msg`Something else`,
}
