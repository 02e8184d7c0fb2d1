import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import type { Loan, ScheduleRow } from '#contract/loans.ts'
import { Loaded } from '#web/app/loading/loaded.tsx'
import { useLoad } from '#web/app/loading/use-load.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { BalanceTable } from '#web/loan/figures-table.tsx'
import { scheduleQuery } from '#web/loan/loan-queries.ts'
import { BarChart } from '#web/ui/bar-chart.tsx'
import { formatMoney, formatMonth } from '#web/ui/format.ts'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { buildBalanceBars, countRowsUntil } from './repayment-progress.ts'

/** As high as the chart, so that nothing moves when it comes. */
export const ChartSkeleton = () => <Skeleton className="h-[13.6875rem] md:h-[14.3125rem] lg:h-[19.8125rem]" />

/** The chart of the instalments, with its figures as a table. */
export function Progress({ loan }: { loan: Loan }) {
  const { t } = useLingui()
  return (
    <div>
      <Loaded
        query={useLoad(scheduleQuery(loan))}
        failed={t`The instalments could not be loaded`}
        failure="note"
        loading={<ChartSkeleton />}
      >
        {({ repayment_schedule: rows }) => <LoadedProgress loan={loan} rows={rows} />}
      </Loaded>
    </div>
  )
}

function LoadedProgress({ loan, rows }: { loan: Loan; rows: readonly ScheduleRow[] }) {
  const { t } = useLingui()
  const language = useLanguage()
  const [first, last] = [rows[0], rows.at(-1)]
  const bars = buildBalanceBars(rows, loan.dpd)
  if (bars.length === 0 || first === undefined || last === undefined) return null
  const paid = loan.number_of_emis_paid
  const total = rows.length
  const late = rows.filter(({ status }) => status === 'Late').length
  const principalPaid = formatMoney(loan.principal_paid)
  const left = formatMoney(loan.principal_outstanding)
  const end = formatMonth(last.due_date, language)
  return (
    <>
      <BarChart
        bars={bars}
        label={t`${paid} of ${total} instalments paid. Principal paid ${principalPaid}, outstanding ${left}. The last instalment is in ${end}.`}
        caption={
          <>
            <Trans>
              <b className="font-semibold text-ink">{paid}</b> of <b className="font-semibold text-ink">{total}</b> instalments paid. Bar
              length shows the balance left.
            </Trans>{' '}
            {late > 0 && t`${plural(late, { one: 'Striped bars: # late instalment.', other: 'Striped bars: # late instalments.' })}`}
          </>
        }
        {...(loan.loan_status !== 'CLOSED' && { mark: { after: countRowsUntil(rows, loan.as_of), text: t`Today` } })}
        startLabel={formatMonth(first.due_date, language)}
        endLabel={end}
      />
      <BalanceTable rows={rows} />
    </>
  )
}
