import { useLingui } from '@lingui/react/macro'
import type { Loan } from '#contract/loans.ts'
import { getLateTone } from '#web/loan/dpd.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Select } from '#web/ui/select.tsx'

/** Selects the loan of the page; with a single loan it shows only its name. */
export function LoanSelector({ loans, shown, onSelect }: { loans: readonly Loan[]; shown: Loan; onSelect: (lan: string) => void }) {
  const { t } = useLingui()
  if (loans.length > 1) {
    const options = loans.map((loan) => ({
      value: loan.lan,
      title: loan.title,
      detail: loan.lan,
      badge: <LoanStatusBadge loan={loan} />,
    }))
    return <Select label={t`Selected loan`} value={shown.lan} options={options} onChange={onSelect} />
  }
  return (
    <div className="flex min-h-15.5 items-center justify-between gap-4 lg:justify-end lg:text-right">
      <div className="min-w-0">
        <p className="font-semibold">{shown.title}</p>
        <p className="text-sm tabular-nums text-muted">{shown.lan}</p>
      </div>
      <LoanStatusBadge loan={shown} />
    </div>
  )
}

function LoanStatusBadge({ loan }: { loan: Loan }) {
  const { t } = useLingui()
  switch (loan.loan_status) {
    case 'ACTIVE':
      return <Badge tone="positive">{t`Active`}</Badge>
    case 'OVERDUE':
      return <Badge tone={getLateTone(loan.dpd)}>{t`Overdue`}</Badge>
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
