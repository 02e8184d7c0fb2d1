import { useLingui } from '@lingui/react/macro'
import type { Paise } from '#domain/money.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import type { Column } from '#web/ui/data-table.tsx'
import { formatMonth } from '#web/ui/format.ts'
import { LineChart } from '#web/ui/line-chart.tsx'
import { DayText } from './days.tsx'
import { FiguresTable } from './figures-table.tsx'
import { Money } from './money.tsx'
import { buildBalanceLines, buildBalanceRows, type BalanceRow, type Balances } from './two-balances.ts'

type Course = { name: string; balances: Balances }
type TwoBalanceCurvesProps = {
  title: string
  detail?: string
  /** What the curves show, in a sentence. */
  label: string
  unchanged: Course
  changed: Course
}

/** The balance of a loan as it would be beside that of the loan as it is: curves and a table. */
export function TwoBalanceCurves({ title, detail, label, unchanged, changed }: TwoBalanceCurvesProps) {
  const language = useLanguage()
  const columns = useBalanceColumns(unchanged.name, changed.name)
  const rows = buildBalanceRows(unchanged.balances, changed.balances)
  const lines = buildBalanceLines(rows)
  const month = (row: BalanceRow | undefined) => (row ? formatMonth(row.date, language) : '')
  return (
    <div>
      <h3 className="mb-1 text-sm">{title}</h3>
      {detail && <p className="text-sm text-muted">{detail}</p>}
      <div className="mt-3">
        <LineChart
          label={label}
          lines={[
            { points: lines.changed, look: 'solid', name: changed.name },
            { points: lines.unchanged, look: 'compare', name: unchanged.name },
          ]}
          axis={[month(rows[0]), month(rows[Math.floor(rows.length / 2)]), month(rows.at(-1))]}
        />
      </div>
      <FiguresTable label={title} rows={rows} rowKey={(row) => row.date} columns={columns} />
    </div>
  )
}

function useBalanceColumns(unchangedName: string, changedName: string): Column<BalanceRow>[] {
  const { t } = useLingui()
  return [
    { key: 'date', header: t`Date`, phone: 'title', cell: (row) => <DayText day={row.date} /> },
    { key: 'changed', header: changedName, align: 'end', strong: true, cell: (row) => renderBalance(row.changed) },
    { key: 'unchanged', header: unchangedName, align: 'end', cell: (row) => renderBalance(row.unchanged) },
  ]
}

const renderBalance = (amount: Paise | null) => (amount === null ? '–' : <Money amount={amount} />)
