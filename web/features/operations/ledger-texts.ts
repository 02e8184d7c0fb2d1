import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { formatCode } from '#web/ui/format.ts'

/** What a ledger transaction records. */
const transactionText: Partial<Record<string, MessageDescriptor>> = {
  disbursal: msg`Disbursal`,
  repayment: msg`Payment`,
  charge: msg`Charge`,
  waiver: msg`Waiver`,
  adjustment: msg`Adjustment`,
  capitalisation: msg`Interest added to the principal`,
  reversal: msg`Reversal`,
  reallocation: msg`Applied again`,
  refund: msg`Refund`,
  settlement: msg`Settlement by the provider`,
}

const accountText: Partial<Record<string, MessageDescriptor>> = {
  principal: msg`Principal`,
  charges: msg`Charges`,
  interest: msg`Interest`,
  charges_income: msg`Income from charges`,
  waivers: msg`Waived amounts`,
  tax: msg`GST on charges`,
  excess: msg`Borrower’s credit`,
  disbursal_bank: msg`Bank account for disbursals`,
  provider_clearing: msg`Payment provider, not yet settled`,
  provider_fees: msg`Provider’s fees`,
  settlement_bank: msg`Bank account for settlements`,
  collection_bank: msg`Bank account for other payments`,
}

/** The words of the ledger; a code that is new here is shown in words. */
export function useLedgerTexts(): { transaction: (kind: string) => string; account: (account: string) => string } {
  const { i18n } = useLingui()
  const textIn = (table: typeof accountText, code: string): string => {
    const text = table[code]
    return text === undefined ? formatCode(code) : i18n._(text)
  }
  return { transaction: (kind) => textIn(transactionText, kind), account: (account) => textIn(accountText, account) }
}
