import { useLingui } from '@lingui/react/macro'
import type { Loan } from '#contract/loans.ts'
import { Badge } from '#web/ui/badge.tsx'
import { dpdTone } from '#web/loan/dpd.ts'

/** How the loan stands, in one word. */
export function LoanStatusBadge({ loan }: { loan: Loan }) {
  const { t } = useLingui()
  switch (loan.loan_status) {
    case 'ACTIVE':
      return <Badge tone="positive">{t`Active`}</Badge>
    case 'OVERDUE':
      return <Badge tone={dpdTone(Math.max(loan.dpd, 1))}>{t`Overdue`}</Badge>
    case 'CLOSED':
      return (
        <Badge tone="neutral" icon="check">
          {t`Closed`}
        </Badge>
      )
    case 'UNKNOWN':
      return <Badge tone="info">{t`Being checked`}</Badge>
  }
}
