import { useLingui } from '@lingui/react/macro'
import type { Loan } from '#contract/loans.ts'
import { useLoad } from '#web/app/loading/use-load.ts'
import { getLoanTabPath, partPaymentSearch } from '#web/app/paths.ts'
import { scheduleQuery } from '#web/loan/loan-queries.ts'
import { TextLink } from '#web/ui/links.tsx'

/** From the balance to what a part payment would change; only where one is possible. */
export function WhatIfLink({ loan }: { loan: Loan }) {
  const { t } = useLingui()
  const { data: schedule } = useLoad(scheduleQuery(loan))
  if (schedule === undefined || schedule.allowed_payments.part_payment.max_allowed_amount === 0n) return null
  return <TextLink to={getLoanTabPath('payments')} search={partPaymentSearch}>{t`What if I pay more?`}</TextLink>
}
