import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import type { ListedUser } from '#contract/staff.ts'
import { DpdBadge } from '#web/loan/days.tsx'
import { cx } from '#web/ui/class-names.ts'

/** A borrower's worst loan: its number, status and days late, and how many loans there are more. */
export function LoanLine({ user, className }: { user: ListedUser; className?: string }) {
  const { t } = useLingui()
  const { worst_loan: loan, loan_count: count = 0 } = user
  const more = count - 1
  const status = { ACTIVE: t`Active`, OVERDUE: t`Overdue`, CLOSED: t`Closed`, UNKNOWN: t`Being checked` }
  return (
    <span className={cx('flex min-h-6 items-center gap-x-2 text-xs font-normal whitespace-nowrap text-muted *:flex-none', className)}>
      {loan ? (
        <>
          <span>{loan.lan}</span>
          <span>{status[loan.loan_status]}</span>
          {(loan.loan_status === 'ACTIVE' || loan.loan_status === 'OVERDUE') && <DpdBadge dpd={loan.dpd} />}
          {more > 0 && <span>{t`${plural(more, { one: '+# loan', other: '+# loans' })}`}</span>}
        </>
      ) : (
        loan === null && <span>{t`No loan`}</span>
      )}
    </span>
  )
}
