import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { AccessCategory } from './access-reason.ts'

/** Usage: `i18n._(accessCategoryText[category])`. */
export const accessCategoryText: Record<AccessCategory, MessageDescriptor> = {
  Payment: msg`Payment or receipt`,
  Documents: msg`Documents`,
  Disbursal: msg`Disbursal`,
  Details: msg`Personal details`,
  Other: msg`Something else`,
}
