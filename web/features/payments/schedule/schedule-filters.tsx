import { useLingui } from '@lingui/react/macro'
import { cx } from '#web/ui/class-names.ts'
import { scheduleFilters, type ScheduleFilter } from './schedule-rows.ts'

type ScheduleFiltersProps = { counts: Record<ScheduleFilter, number>; current: ScheduleFilter; onChoose: (filter: ScheduleFilter) => void }

/** The summary of the schedule in four counts; each shows its rows when pressed. Chips on a wide screen, tiles on the phone. */
export function ScheduleFilters({ counts, current, onChoose }: ScheduleFiltersProps) {
  const { t } = useLingui()
  const labels: Record<ScheduleFilter, string> = { total: t`Total`, paid: t`Paid`, due: t`Due`, late: t`Late` }
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
          {labels[filter]} <b className="text-figure-sm font-semibold md:text-sm">{counts[filter]}</b>
        </button>
      ))}
    </div>
  )
}
