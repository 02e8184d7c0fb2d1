import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import type { ListedUser } from '#contract/staff.ts'
import { DpdBadge } from '#web/loan/days.tsx'
import { loanStatusText } from '#web/loan/status-badges.tsx'
import { cx } from '#web/ui/class-names.ts'
import { useIsNarrow } from '#web/ui/data-table.tsx'

/** Days past due of a borrower's worst loan, if it is not closed. */
export function LateBadge({ user: { worst_loan: loan } }: { user: ListedUser }) {
  return (loan?.loan_status === 'ACTIVE' || loan?.loan_status === 'OVERDUE') && <DpdBadge dpd={loan.dpd} />
}

/**
 * A borrower's worst loan: its number, status and days late, and how many loans there are more. On
 * phones the days late are on the line above.
 */
export function LoanLine({ user, className }: { user: ListedUser; className?: string }) {
  const { t, i18n } = useLingui()
  const { worst_loan: loan, loan_count: count = 0 } = user
  const more = count - 1
  const isNarrow = useIsNarrow()
  return (
    <span className={cx('flex min-h-6 items-center gap-x-2 text-xs font-normal whitespace-nowrap text-muted *:flex-none', className)}>
      {loan ? (
        <>
          <span>{loan.lan}</span>
          <span>{i18n._(loanStatusText[loan.loan_status])}</span>
          {!isNarrow && <LateBadge user={user} />}
          {more > 0 && <span>{t`${plural(more, { one: '+# loan', other: '+# loans' })}`}</span>}
        </>
      ) : (
        loan === null && <span>{t`No loan`}</span>
      )}
    </span>
  )
}
