import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useRef, useState } from 'react'
import type { Loan, ScheduleRow } from '#contract/loans.ts'
import { sumPaise } from '#domain/money.ts'
import { getLateTone } from '#web/loan/dpd.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, CardHead } from '#web/ui/card.tsx'
import { cx } from '#web/ui/class-names.ts'
import { DataTable, useIsNarrow } from '#web/ui/data-table.tsx'
import { useFirstRows } from '#web/ui/first-rows.tsx'
import { formatMoney } from '#web/ui/format.ts'
import { useScheduleColumns, useScheduleDetail } from './schedule-columns.tsx'
import { sumCharges, matchesFilter, findNextUnpaidRow, countScheduleRows, type ScheduleFilter, scheduleFilters } from './schedule-rows.ts'
import { ShownRows, useScrolledTo } from './schedule-view.tsx'

/** Every instalment, paid and to come (spec §2, §9). */
export function RepaymentSchedule({ loan, rows }: { loan: Loan; rows: readonly ScheduleRow[] }) {
  const { t } = useLingui()
  const isNarrow = useIsNarrow()
  const detail = useScheduleDetail(loan)
  const columns = useScheduleColumns(loan)
  const [filter, setFilter] = useState<ScheduleFilter>('total')
  const next = findNextUnpaidRow(rows)
  const matching = rows.filter((row) => matchesFilter(row, filter))
  const { shown, first, last, showAll } = useFirstRows(matching, next && matching.indexOf(next), filter)
  const total = matching.length
  const charges = sumPaise(rows.map(sumCharges))
  const chargesText = formatMoney(charges)
  const table = useRef<HTMLDivElement>(null)
  useScrolledTo(table, next === undefined ? -1 : matching.indexOf(next), `${filter} ${isNarrow}`)

  return (
    <Card labelledBy="repayment-schedule">
      <CardHead id="repayment-schedule" title={t`Repayment schedule`}>
        <Button variant="quiet" size="sm" icon="print" className="-mr-3 max-md:hidden" onClick={() => window.print()}>
          {t`Print`}
        </Button>
      </CardHead>
      {/* While a loan is checked, no row counts as paid, due or late. */}
      {loan.loan_status !== 'UNKNOWN' && <ScheduleFilters counts={countScheduleRows(rows)} current={filter} onChoose={setFilter} />}
      <div ref={table}>
        <DataTable
          label={t`Schedule table`}
          columns={columns}
          rows={shown}
          rowKey={(row) => row.number}
          rowTone={(row) => (row.status === 'Late' ? getLateTone(loan.dpd) : row === next ? 'next' : null)}
          height="schedule"
          detail={detail}
          empty={t`No data found`}
        />
      </div>
      {showAll(t`Show all ${total} rows`)}
      <div className="mt-3 flex flex-wrap justify-between gap-x-4 gap-y-1 text-sm text-muted tabular-nums">
        {total > 0 && <ShownRows key={`${filter} ${isNarrow}`} table={table} first={first} last={last} total={total} />}
        {charges > 0n && <p>{t`Charges to pay: ${chargesText}`}</p>}
      </div>
    </Card>
  )
}

const filterText: Record<ScheduleFilter, MessageDescriptor> = { total: msg`Total`, paid: msg`Paid`, due: msg`Due`, late: msg`Late` }

type ScheduleFiltersProps = { counts: Record<ScheduleFilter, number>; current: ScheduleFilter; onChoose: (filter: ScheduleFilter) => void }

/**
 * Four counts of the schedule's rows; each filters the rows. Chips on a wide screen, tiles on
 * phones.
 */
function ScheduleFilters({ counts, current, onChoose }: ScheduleFiltersProps) {
  const { t, i18n } = useLingui()
  return (
    <div role="group" aria-label={t`Show rows`} className="mb-4 grid grid-cols-4 gap-2 md:flex md:flex-wrap print:hidden">
      {scheduleFilters.map((filter) => (
        <button
          key={filter}
          type="button"
          aria-pressed={filter === current}
          onClick={() => onChoose(filter)}
          className={cx(
            'flex min-h-target flex-col-reverse items-center justify-center rounded-md border px-1 py-1.5 text-xs tabular-nums hover:border-brand',
            'md:flex-row md:gap-2 md:rounded-full md:px-3.5 md:py-1 md:text-sm',
            filter === current
              ? 'border-brand bg-brand-soft text-on-brand-soft inset-ring inset-ring-brand'
              : 'border-line-strong bg-raised',
          )}
        >
          {i18n._(filterText[filter])} <b className="text-figure-sm font-semibold md:text-sm">{counts[filter]}</b>
        </button>
      ))}
    </div>
  )
}
