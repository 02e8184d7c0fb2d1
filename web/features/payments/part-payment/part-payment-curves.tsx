import { useLingui } from '@lingui/react/macro'
import { useLanguage } from '#web/i18n/i18n.ts'
import { DayText } from '#web/loan/days.tsx'
import { FiguresTable } from '#web/loan/figures-table.tsx'
import { Money } from '#web/loan/money.tsx'
import type { PartPaymentPurpose } from '#web/loan/part-payment-entry.ts'
import type { Column } from '#web/ui/data-table.tsx'
import { formatMoney, formatMonth } from '#web/ui/format.ts'
import { LineChart } from '#web/ui/line-chart.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { buildWhatIfLines, type WhatIfRow, buildWhatIfRows, selectOutcome } from './part-payment.ts'
import type { PartPaymentPreview } from './use-part-payment-preview.ts'

type PartPaymentCurvesProps = { preview: PartPaymentPreview | null; purpose: PartPaymentPurpose }

/**
 * The balance with and without the part payment. Names the amount, because another one may be typed
 * already.
 */
export function PartPaymentCurves({ preview, purpose }: PartPaymentCurvesProps) {
  const { t } = useLingui()
  const language = useLanguage()
  const columns = useWhatIfColumns()
  if (preview === null) return <Skeleton className="h-64" />
  const { unchanged } = preview
  const after = selectOutcome(preview, purpose)
  const rows = buildWhatIfRows(unchanged, after)
  const lines = buildWhatIfLines(rows)
  const month = (day: (typeof rows)[number]['date'] | null | undefined) => (day ? formatMonth(day, language) : '')
  const [amount, saved] = [formatMoney(preview.amount), formatMoney(after.interest_saved)]
  const [end, endWithout] = [month(after.last_due_date), month(unchanged.last_due_date)]
  return (
    <div>
      <h3 id="what-if" className="mb-1 text-sm">{t`Your balance with and without it`}</h3>
      <p className="mb-3 text-sm text-muted">{t`For a part payment of ${amount}`}</p>
      <LineChart
        label={t`With a part payment of ${amount} the loan ends in ${end}; without it, in ${endWithout}. Interest saved: ${saved}.`}
        lines={[
          { points: lines.with, look: 'solid', name: t`With the part payment` },
          { points: lines.without, look: 'compare', name: t`Without it` },
        ]}
        axis={[month(rows[0]?.date), month(rows[Math.floor(rows.length / 2)]?.date), month(rows.at(-1)?.date)]}
      />
      <FiguresTable label={t`Your balance with and without it`} rows={rows} rowKey={(row) => row.date} columns={columns} />
    </div>
  )
}

function useWhatIfColumns(): Column<WhatIfRow>[] {
  const { t } = useLingui()
  return [
    { key: 'date', header: t`Date`, phone: 'title', cell: (row) => <DayText day={row.date} /> },
    {
      key: 'with',
      header: t`With the part payment`,
      align: 'end',
      strong: true,
      cell: (row) => (row.with === null ? '–' : <Money amount={row.with} />),
    },
    { key: 'without', header: t`Without it`, align: 'end', cell: (row) => <Money amount={row.without} /> },
  ]
}
