import { useLingui } from '@lingui/react/macro'
import type { Loan, ScheduleRow } from '#contract/loans.ts'
import type { Paise } from '#domain/money.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { DayText } from '#web/loan/days.tsx'
import { ExplainedFigure } from '#web/loan/explained-figure.tsx'
import { Money } from '#web/loan/money.tsx'
import { InstalmentStatusBadge } from '#web/loan/status-badges.tsx'
import type { Column, RowDetail } from '#web/ui/data-table.tsx'
import { formatDay } from '#web/ui/format.ts'
import { sumCharges } from './schedule-rows.ts'

/** The columns of the schedule; on phones date and status over instalment and balance. */
export function useScheduleColumns({ dpd }: Loan): Column<ScheduleRow>[] {
  const { t } = useLingui()
  return [
    { key: 'number', header: t`No.`, phone: 'hidden', wideOnly: true, cell: (row) => <span className="text-muted">{row.number}</span> },
    { key: 'due_date', header: t`Due date`, phone: 'title', cell: (row) => <DayText day={row.due_date} /> },
    {
      key: 'instalment',
      header: t`Instalment`,
      align: 'end',
      strong: true,
      phone: 'figure',
      cell: (row) => <Money amount={row.repayment_amount} />,
    },
    { key: 'principal', header: t`Principal`, align: 'end', cell: (row) => <Figure amount={row.principal_amount} /> },
    { key: 'interest', header: t`Interest`, align: 'end', cell: (row) => <Figure amount={row.interest_amount} /> },
    {
      key: 'charges',
      header: t`Charges`,
      align: 'end',
      isEmpty: hasNoCharges,
      cell: (row) => <Figure amount={hasNoCharges(row) ? undefined : sumCharges(row)} />,
    },
    {
      key: 'balance',
      header: t`Balance after`,
      align: 'end',
      phone: 'note',
      names: true,
      cell: (row) => <Figure amount={row.closing_balance} />,
    },
    { key: 'status', header: t`Status`, phone: 'aside', cell: (row) => <InstalmentStatusBadge status={row.status} dpd={dpd} /> },
  ]
}

const hasNoCharges = (row: ScheduleRow): boolean => sumCharges(row) === 0n

/** An amount: muted if zero, a dash if there is none. */
function Figure({ amount }: { amount: Paise | undefined }) {
  if (amount === undefined) return <span className="text-muted">–</span>
  return <Money amount={amount} className={amount === 0n ? 'text-muted' : ''} />
}

/** How an instalment is computed, opened under its row; not while the loan is checked. */
export function useScheduleDetail(loan: Loan): RowDetail<ScheduleRow> {
  const { t } = useLingui()
  const language = useLanguage()
  const rowName = (row: ScheduleRow): string => {
    const [number, due] = [row.number, formatDay(row.due_date, language)]
    return t`Instalment ${number}, due ${due}`
  }
  return {
    summary: t`How is this computed?`,
    rowName,
    content: (row) =>
      loan.loan_status === 'UNKNOWN' ? (
        <p className="text-sm">{t`Your lender is checking this loan`}</p>
      ) : (
        <ExplainedFigure loan={loan} what={`row:${row.number}`} name={rowName(row)} />
      ),
  }
}
