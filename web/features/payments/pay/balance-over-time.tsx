import { Trans, useLingui } from '@lingui/react/macro'
import { useId, useState } from 'react'
import type { Loan, ScheduleRow } from '#contract/loans.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { BalanceTable } from '#web/loan/figures-table.tsx'
import { Button } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { useIsNarrow } from '#web/ui/data-table.tsx'
import { formatMoney, formatMonth } from '#web/ui/format.ts'
import { LineChart } from '#web/ui/line-chart.tsx'
import { buildBalanceLine } from './balance-line.ts'

/** A chart of the balance: solid in the past, dashed in the future. Phones show it on demand. */
export function BalanceOverTime({ loan, rows }: { loan: Loan; rows: readonly ScheduleRow[] }) {
  const { t } = useLingui()
  const language = useLanguage()
  const chartId = useId()
  const isNarrow = useIsNarrow()
  const [isShown, setIsShown] = useState(false)
  const line = buildBalanceLine(loan, rows)
  const [first, middle, last] = [rows[0], rows[Math.floor(rows.length / 2)], rows.at(-1)]
  if (line === null || loan.loan_status === 'CLOSED' || !first || !middle || !last) return null
  const outstanding = formatMoney(loan.principal_outstanding)
  const end = formatMonth(last.due_date, language)
  const months = [first, middle, last].map((row) => formatMonth(row.due_date, language))
  return (
    <Card labelledBy="balance-over-time">
      <div className="flex items-center justify-between gap-4">
        <h2 id="balance-over-time">{t`Balance over time`}</h2>
        <Button
          variant="secondary"
          size="sm"
          className="md:hidden"
          aria-expanded={isShown}
          aria-controls={chartId}
          aria-describedby="balance-over-time"
          onClick={() => setIsShown(!isShown)}
        >
          {isShown ? t`Hide` : t`Show`}
        </Button>
      </div>
      <div id={chartId}>
        {(isShown || !isNarrow) && (
          <div className="mt-4">
            <LineChart
              label={t`Outstanding ${outstanding} today, nothing in ${end} if every EMI is paid on time.`}
              lines={[
                { points: line.past, look: 'solid', name: t`Balance so far` },
                { points: line.future, look: 'dashed', name: t`If you pay on time` },
              ]}
              now={line.future[0]}
              note={
                <Trans>
                  Today <b className="font-semibold">{outstanding}</b>
                </Trans>
              }
              axis={months}
            />
            <div className="-mb-2 mt-2 border-t border-line">
              <BalanceTable rows={rows} />
            </div>
          </div>
        )}
      </div>
    </Card>
  )
}
