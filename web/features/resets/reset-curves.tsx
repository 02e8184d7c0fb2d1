import { useLingui } from '@lingui/react/macro'
import type { RateReset } from '#contract/rate-resets.ts'
import type { Paise } from '#domain/money.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { DayText } from '#web/loan/days.tsx'
import { FiguresTable } from '#web/loan/figures-table.tsx'
import { Money } from '#web/loan/money.tsx'
import type { Column } from '#web/ui/data-table.tsx'
import { formatMonth } from '#web/ui/format.ts'
import { LineChart } from '#web/ui/line-chart.tsx'
import { buildResetLines, buildResetRows, type ResetRow } from './reset-balances.ts'
import type { ResetOption } from './reset-form.ts'
import { choiceText } from './reset-texts.ts'

type ResetCurvesProps = { reset: RateReset; unchanged: NonNullable<RateReset['unchanged']>; option: ResetOption }

/** The balance with an option beside the balance at today's rate, as curves and as a table. */
export function ResetCurves({ reset: { from, to }, unchanged, option }: ResetCurvesProps) {
  const { t, i18n } = useLingui()
  const language = useLanguage()
  const rows = buildResetRows(unchanged.balances, option.balances)
  const lines = buildResetLines(rows)
  const month = (row: ResetRow | undefined) => (row ? formatMonth(row.date, language) : '')
  const name = i18n._(choiceText[option.option])
  const [end, endUnchanged] = [option.last_due_date, unchanged.last_due_date].map((day) => formatMonth(day, language))
  const [chosenName, unchangedName] = [t`${name}, at ${to}%`, t`At today’s rate of ${from}%`]
  const columns = useResetColumns(chosenName, unchangedName)
  return (
    <div>
      <h3 className="mb-3 text-sm">{t`Your balance`}</h3>
      <LineChart
        label={t`${name}: the loan ends in ${end}. At today’s rate it ends in ${endUnchanged}.`}
        lines={[
          { points: lines.chosen, look: 'solid', name: chosenName },
          { points: lines.unchanged, look: 'compare', name: unchangedName },
        ]}
        axis={[month(rows[0]), month(rows[Math.floor(rows.length / 2)]), month(rows.at(-1))]}
      />
      <FiguresTable label={t`Your balance`} rows={rows} rowKey={(row) => row.date} columns={columns} />
    </div>
  )
}

function useResetColumns(chosenName: string, unchangedName: string): Column<ResetRow>[] {
  const { t } = useLingui()
  return [
    { key: 'date', header: t`Date`, phone: 'title', cell: (row) => <DayText day={row.date} /> },
    { key: 'chosen', header: chosenName, align: 'end', strong: true, cell: (row) => renderBalance(row.chosen) },
    { key: 'unchanged', header: unchangedName, align: 'end', cell: (row) => renderBalance(row.unchanged) },
  ]
}

const renderBalance = (amount: Paise | null) => (amount === null ? '–' : <Money amount={amount} />)
