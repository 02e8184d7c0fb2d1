import { useLingui } from '@lingui/react/macro'
import type { ScheduleRow } from '#contract/loans.ts'
import type { Column } from '#web/ui/data-table.tsx'
import { DayText } from './dates.tsx'
import { FiguresTable } from './figures-table.tsx'
import { Money } from './money.tsx'

/** The balance after each instalment: what the pictures of a loan draw. */
export function BalanceTable({ rows }: { rows: readonly ScheduleRow[] }) {
  const { t } = useLingui()
  const columns = useBalanceColumns()
  return <FiguresTable label={t`Balance after each instalment`} rows={rows} rowKey={(row) => row.number} columns={columns} />
}

function useBalanceColumns(): Column<ScheduleRow>[] {
  const { t } = useLingui()
  return [
    { key: 'due_date', header: t`Due date`, phone: 'title', cell: (row) => <DayText day={row.due_date} /> },
    {
      key: 'balance',
      header: t`Balance after`,
      align: 'end',
      phone: 'aside',
      cell: (row) => (row.closing_balance === undefined ? '–' : <Money amount={row.closing_balance} />),
    },
  ]
}
