import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import type { ScheduleRow } from '#contract/loans.ts'
import { DayText, DpdBadge } from '#web/loan/days.tsx'
import { Money } from '#web/loan/money.tsx'
import { InstalmentStatusBadge, LoanStatusBadge } from '#web/loan/status-badges.tsx'
import { Card } from '#web/ui/card.tsx'
import { type Column, DataTable } from '#web/ui/data-table.tsx'
import { LazyDisclosure } from '#web/ui/disclosure.tsx'
import { Facts } from '#web/ui/facts.tsx'
import type { LoanRecord } from './operations-queries.ts'

/** What the borrower sees of the loan: its figures, and the schedule on demand. */
export function LoanSummary({ record }: { record: LoanRecord }) {
  const { t } = useLingui()
  const { loan, allowed_payments: offer, repayment_schedule: schedule } = record
  const none = <span className="text-muted">–</span>
  const percent = loan.interest_rate
  return (
    <Card labelledBy="summary">
      <div className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 id="summary">{t`Loan`}</h2>
        <LoanStatusBadge status={loan.loan_status} dpd={loan.dpd} />
        {(loan.loan_status === 'ACTIVE' || loan.loan_status === 'OVERDUE') && <DpdBadge dpd={loan.dpd} />}
        <span className="text-xs text-muted">
          {t`Figures for`} <DayText day={loan.as_of} />
        </span>
      </div>
      <Facts
        facts={[
          { label: t`Dues`, value: <Money amount={loan.dues} /> },
          { label: t`EMI`, value: <Money amount={loan.emi_amount} />, note: loan.due_date && <DayText day={loan.due_date} /> },
          { label: t`Principal outstanding`, value: <Money amount={loan.principal_outstanding} />, note: t`${percent}% a year` },
          { label: t`Foreclosure amount`, value: offer.foreclosure_payment ? <Money amount={offer.foreclosure_payment.amount} /> : none },
          { label: t`Disbursed amount`, value: <Money amount={loan.disbursed_amount} /> },
          { label: t`Borrower’s credit`, value: <Money amount={loan.credit_amount} /> },
          {
            label: t`EMIs paid`,
            value: loan.number_of_emis_paid,
            note: t`${plural(loan.number_of_emis_due, { one: '# left', other: '# left' })}`,
          },
          { label: t`Last EMI`, value: loan.last_due_date === null ? none : <DayText day={loan.last_due_date} /> },
        ]}
      />
      <div className="mt-3 border-t border-line pt-1">
        <LazyDisclosure summary={t`Repayment schedule`} subject={loan.lan}>
          {() => <Schedule rows={schedule} dpd={loan.dpd} />}
        </LazyDisclosure>
      </div>
    </Card>
  )
}

function Schedule({ rows, dpd }: { rows: readonly ScheduleRow[]; dpd: number }) {
  const { t } = useLingui()
  const columns = useScheduleColumns(dpd)
  return (
    <DataTable
      label={t`Repayment schedule`}
      height="schedule"
      scrollsAsCards
      columns={columns}
      rows={rows}
      rowKey={(row) => row.number}
      empty={t`No data found`}
    />
  )
}

function useScheduleColumns(dpd: number): Column<ScheduleRow>[] {
  const { t } = useLingui()
  return [
    { key: 'due', header: t`Due date`, phone: 'title', cell: (row) => <DayText day={row.due_date} /> },
    {
      key: 'amount',
      header: t`Instalment`,
      align: 'end',
      phone: 'figure',
      strong: true,
      cell: (row) => <Money amount={row.repayment_amount} />,
    },
    { key: 'pending', header: t`Unpaid`, align: 'end', phone: 'note', names: true, cell: (row) => <Money amount={row.pending_amount} /> },
    {
      key: 'status',
      header: t`Status`,
      align: 'end',
      phone: 'aside',
      cell: ({ status }) => <InstalmentStatusBadge status={status} dpd={dpd} />,
    },
  ]
}
