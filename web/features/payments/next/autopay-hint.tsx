import { useLingui } from '@lingui/react/macro'
import { useLoad } from '#web/app/loading/use-load.ts'
import type { Loan } from '#contract/loans.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { autopayQuery } from '#web/loan/autopay.ts'

/**
 * Whether autopay debits what is due, in words that follow its date: who need not pay must know it
 * where the button is. Only for debits that the bank has been told of: others may still be skipped.
 */
export function AutopayHint({ loan }: { loan: Loan }) {
  const { t } = useLingui()
  const autopay = useLoad(autopayQuery(loan, useLanguage()))
  switch (autopay.data?.next_collection?.status) {
    case 'announced':
      return <> · {t`autopay debits it`}</>
    case 'presented':
      return <> · {t`autopay is debiting it now`}</>
    default:
      return null
  }
}
