import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import type { Loan } from '#contract/loans.ts'
import { useLanguage } from '#web/i18n/use-language.ts'
import { Banner } from '#web/ui/banner.tsx'
import { dpdTone } from '#web/loan/dpd.ts'
import { formatDay } from '#web/ui/format.ts'

/** Tells how late the oldest unpaid EMI is, and what to do. */
export function OverdueBanner({ loan }: { loan: Loan }) {
  const { t } = useLingui()
  const language = useLanguage()
  if (loan.dpd <= 0 || loan.due_date === null) return null
  const date = formatDay(loan.due_date, language)
  return (
    <Banner tone={dpdTone(loan.dpd) === 'danger' ? 'danger' : 'caution'} icon="clock">
      <b className="font-semibold">
        {t`${plural(loan.dpd, { one: `Your EMI of ${date} is # day late.`, other: `Your EMI of ${date} is # days late.` })}`}
      </b>{' '}
      {t`Pay the overdue amount to stop further late charges.`}
    </Banner>
  )
}
