import { useLingui } from '@lingui/react/macro'
import { useLoad } from '#web/app/loading/use-load.ts'
import type { Loan } from '#contract/loans.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { autopayQuery } from '#web/loan/autopay.ts'
import { useRefreshAfterDebit } from '#web/loan/refresh-after-debit.ts'
import { formatDay } from '#web/ui/format.ts'
import { findDebitOf, type NextDue } from './next-payment-due.ts'

type AutopayHintProps = { loan: Loan; due: NextDue }

/**
 * Whether autopay debits what is due, in words that follow its date: who need not pay must know it
 * where the button is.
 */
export function AutopayHint({ loan, due }: AutopayHintProps) {
  const { t } = useLingui()
  const language = useLanguage()
  const autopay = useLoad(autopayQuery(loan, language)).data
  // What is due changes with the debit's outcome.
  useRefreshAfterDebit(autopay)
  const debit = autopay ? findDebitOf(due, autopay) : null
  if (debit === null) return null
  if (debit.status === 'presented') return <> · {t`autopay is debiting it now`}</>
  if (due.kind !== 'overdue' && debit.debit_on === due.dueDate) return <> · {t`autopay debits it`}</>
  const day = formatDay(debit.debit_on, language)
  return <> · {t`autopay debits it on ${day}`}</>
}
