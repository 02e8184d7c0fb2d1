import type { I18n, MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { readableCode } from '#web/loan/readable-code.ts'

/** The provider's names for how money came, as they stand within a sentence. */
const methods: Record<string, MessageDescriptor> = {
  upi: msg`UPI`,
  card: msg`card`,
  netbanking: msg`netbanking`,
  wallet: msg`wallet`,
  emi: msg`EMI on a card`,
  cardless_emi: msg`EMI without a card`,
  paylater: msg`pay later`,
  bank_transfer: msg`bank transfer`,
  emandate: msg`bank mandate`,
  nach: msg`bank mandate`,
}

/** How money came, in words; a method that is new at the provider is read from its code. */
export function methodText(i18n: I18n, method: string): string {
  const known = methods[method]
  return known === undefined ? readableCode(method) : i18n._(known)
}
