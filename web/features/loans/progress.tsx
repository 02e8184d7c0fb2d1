import { Trans, useLingui } from '@lingui/react/macro'
import type { UseQueryResult } from '@tanstack/react-query'
import type { Loan, ScheduleRow } from '#contract/loans.ts'
import { Loaded } from '#web/app/loading/loaded.tsx'
import { useLanguage } from '#web/i18n/i18n.ts'
import { BalanceTable } from '#web/loan/figures-table.tsx'
import type { Schedule } from '#web/loan/loan-queries.ts'
import { Money } from '#web/loan/money.tsx'
import { BarChart } from '#web/ui/bar-chart.tsx'
import { formatMoney, formatMonth } from '#web/ui/format.ts'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { buildBalanceBars, countRowsUntil, computeSharePercent, computeShareWidths } from './repayment-progress.ts'

/**
 * The repayment progress: the chart of the instalments with its figures, and the principal paid and
 * left.
 */
export function Progress({ loan, schedule }: { loan: Loan; schedule: UseQueryResult<Schedule> }) {
  return (
    <>
      <div>
        <InstalmentChart loan={loan} schedule={schedule} />
        <PrincipalSplit loan={loan} />
      </div>
      {schedule.data && buildBalanceBars(schedule.data.repayment_schedule).length > 0 && (
        // In its own row: opening it does not move what is beside the chart.
        <div className="-mt-6 md:-mt-8 lg:col-start-2 lg:mt-0">
          <BalanceTable rows={schedule.data.repayment_schedule} />
        </div>
      )}
    </>
  )
}

function InstalmentChart({ loan, schedule }: { loan: Loan; schedule: UseQueryResult<Schedule> }) {
  const { t } = useLingui()
  return (
    <Loaded
      query={schedule}
      failed={t`The instalments could not be loaded`}
      failure="note"
      loading={<Skeleton className="h-[13.6875rem] md:h-[14.3125rem]" />}
    >
      {({ repayment_schedule: rows }) => <LoadedInstalmentChart loan={loan} rows={rows} />}
    </Loaded>
  )
}

function LoadedInstalmentChart({ loan, rows }: { loan: Loan; rows: readonly ScheduleRow[] }) {
  const { t } = useLingui()
  const language = useLanguage()
  const [first, last] = [rows[0], rows.at(-1)]
  const bars = buildBalanceBars(rows)
  if (bars.length === 0 || first === undefined || last === undefined) return null
  const paid = loan.number_of_emis_paid
  const total = rows.length
  const principalPaid = formatMoney(loan.principal_paid)
  const left = formatMoney(loan.principal_outstanding)
  const end = formatMonth(last.due_date, language)
  return (
    <BarChart
      bars={bars}
      label={t`${paid} of ${total} instalments paid. Principal paid ${principalPaid}, outstanding ${left}. The last instalment is in ${end}.`}
      caption={
        <Trans>
          <b className="font-semibold text-ink">{paid}</b> of <b className="font-semibold text-ink">{total}</b> instalments paid. Bar length
          shows the balance left.
        </Trans>
      }
      {...(loan.loan_status !== 'CLOSED' && { mark: { after: countRowsUntil(rows, loan.as_of), text: t`Today` } })}
      startLabel={formatMonth(first.due_date, language)}
      endLabel={end}
    />
  )
}

/** Principal paid, interest paid and principal left, as one bar and in figures. */
function PrincipalSplit({ loan }: { loan: Loan }) {
  const { t } = useLingui()
  const paidPercent = computeSharePercent(loan.principal_paid, loan.principal_outstanding)
  const widths = computeShareWidths([loan.principal_paid, loan.interest_paid, loan.principal_outstanding])
  const shares = [
    { label: t`Principal paid`, amount: loan.principal_paid, percent: paidPercent, fill: 'bg-chart-paid' },
    { label: t`Interest paid`, amount: loan.interest_paid, percent: null, fill: 'bg-chart-compare' },
    {
      label: t`Outstanding`,
      amount: loan.principal_outstanding,
      percent: loan.principal_outstanding > 0n ? 100 - paidPercent : 0,
      fill: 'bg-chart-left',
    },
  ]
  return (
    <>
      <div aria-hidden="true" className="mt-4 flex h-3 gap-px border-b-2 border-chart-cap forced-color-adjust-none">
        {shares.map(({ label, fill }, index) => (
          <div key={label} data-share={label} className={fill} style={{ width: `${widths[index]}%` }} />
        ))}
      </div>
      <dl className="mt-2 grid grid-cols-2 gap-x-4 gap-y-1 text-sm tabular-nums md:grid-cols-[auto_auto_auto] md:justify-between">
        {shares.map(({ label, amount, percent, fill }) => (
          <div key={label}>
            <dt className="flex items-center gap-1.5">
              <span aria-hidden="true" className={`size-2.5 flex-none rounded-[2px] forced-color-adjust-none ${fill}`} />
              {label}
            </dt>
            <dd>
              <Money amount={amount} className="font-semibold" />
              {percent !== null && <span className="text-muted"> ({percent}%)</span>}
            </dd>
          </div>
        ))}
      </dl>
    </>
  )
}
