import { useLingui } from '@lingui/react/macro'
import type { ScheduleRow } from '#contract/loans.ts'
import { type Column, DataTable } from '#web/ui/data-table.tsx'
import { LazyDisclosure } from '#web/ui/disclosure.tsx'
import { DayText } from './days.tsx'
import { Money } from './money.tsx'

type FiguresTableProps<Row> = {
  /** The table's name. */
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string | number
}

/** The figures behind a chart as a table; rendered when it is opened. */
export function FiguresTable<Row>(props: FiguresTableProps<Row>) {
  const { t } = useLingui()
  return (
    <LazyDisclosure summary={t`Show as a table`} subject={props.label}>
      {() => <DataTable height="tranches" scrollsAsCards empty={t`No data found`} {...props} />}
    </LazyDisclosure>
  )
}

/** The balance after each instalment: the figures of the balance charts. */
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
