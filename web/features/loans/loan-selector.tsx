import { useLingui } from '@lingui/react/macro'
import type { Loan } from '#contract/loans.ts'
import { LoanStatusBadge } from '#web/loan/status-badges.tsx'
import { Select } from '#web/ui/select.tsx'

/** Selects the loan of the page; with a single loan it shows only its name. */
export function LoanSelector({ loans, shown, onSelect }: { loans: readonly Loan[]; shown: Loan; onSelect: (lan: string) => void }) {
  const { t } = useLingui()
  if (loans.length > 1) {
    const options = loans.map((loan) => ({
      value: loan.lan,
      title: loan.title,
      detail: loan.lan,
      badge: <LoanStatusBadge status={loan.loan_status} dpd={loan.dpd} />,
    }))
    return (
      <>
        <p className="hidden font-semibold print:block">{`${shown.title}, ${shown.lan}`}</p>
        <Select label={t`Selected loan`} value={shown.lan} options={options} onChange={onSelect} />
      </>
    )
  }
  return (
    <div className="flex min-h-15.5 items-center justify-between gap-4 lg:justify-end lg:text-right">
      <div className="min-w-0">
        <p className="font-semibold">{shown.title}</p>
        <p className="text-sm tabular-nums text-muted">{shown.lan}</p>
      </div>
      <LoanStatusBadge status={shown.loan_status} dpd={shown.dpd} />
    </div>
  )
}
