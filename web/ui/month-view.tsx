import { useLingui } from '@lingui/react/macro'
import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import { dayOfMonth, type Day } from '#domain/calendar.ts'
import { useLanguage } from '#web/i18n/use-language.ts'
import { Button } from './button.tsx'
import { cx } from './class-names.ts'
import { formatMonth, formatMonthLong, weekdays } from './format.ts'
import { Icon } from './icon.tsx'
import { clampDay, dayAfterKey, firstOfMonth, lastOfMonth, monthGrid, monthsOn } from './month-grid.ts'

export type DayRange = { min: Day; max: Day; today: Day }

type MonthViewProps = { label: string; value: Day | null; range: DayRange; onPick: (day: Day | null) => void }

/** One month to pick a day from: six weeks, Sunday first, 'Clear' and 'Today' (spec §9). */
export function MonthView({ label, value, range, onPick }: MonthViewProps) {
  const { t } = useLingui()
  const { min, max, today } = range
  // From today, which may lie before the first day on offer, to the end of the last month with one.
  const [first, last] = [firstOfMonth(min < today ? min : today), lastOfMonth(max > today ? max : today)]
  const [focused, setFocused] = useState<Day>(value ?? clampDay(today, min, max))
  const month = firstOfMonth(focused)
  const table = useRef<HTMLTableElement>(null)
  const takesFocus = useRef(true)

  useEffect(() => {
    if (!takesFocus.current) return
    takesFocus.current = false
    table.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus()
  }, [focused])

  const goTo = (day: Day, withFocus: boolean): void => {
    takesFocus.current = withFocus
    setFocused(clampDay(day, first, last))
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = dayAfterKey(event.key, focused)
    if (next === null) return
    event.preventDefault()
    goTo(next, true)
  }

  return (
    <div className="w-80 max-w-full">
      <MonthHead
        month={month}
        canGoBack={month > first}
        canGoOn={lastOfMonth(month) < last}
        onTurn={(by) => goTo(monthsOn(month, by), false)}
      />
      <table ref={table} aria-label={label} className="w-full table-fixed">
        <WeekdayHead />
        <tbody>
          {monthGrid(month).map((week) => (
            <tr key={week[0]}>
              {week.map((day) => (
                <td key={day} className="p-0 text-center">
                  <DayButton
                    day={day}
                    look={day === value ? 'chosen' : day < min || day > max ? 'closed' : 'open'}
                    isToday={day === today}
                    isFocused={day === focused}
                    onPick={onPick}
                    onKeyDown={onKeyDown}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <div className="mt-1 flex justify-between">
        <Button variant="quiet" onClick={() => onPick(null)}>{t`Clear`}</Button>
        {/* Today itself may not be on offer: it is shown, not picked. */}
        <Button variant="quiet" onClick={() => goTo(today, true)}>{t`Today`}</Button>
      </div>
    </div>
  )
}

type MonthHeadProps = { month: Day; canGoBack: boolean; canGoOn: boolean; onTurn: (by: 1 | -1) => void }

function MonthHead({ month, canGoBack, canGoOn, onTurn }: MonthHeadProps) {
  const { t } = useLingui()
  const turn =
    'grid size-target place-items-center rounded-md hover:bg-sunken aria-disabled:cursor-not-allowed aria-disabled:text-line-strong'
  return (
    <div className="flex items-center justify-between">
      <button
        type="button"
        className={turn}
        aria-label={t`Previous month`}
        aria-disabled={!canGoBack || undefined}
        onClick={() => canGoBack && onTurn(-1)}
      >
        <Icon name="chevronLeft" />
      </button>
      <b aria-live="polite">{formatMonthLong(month, useLanguage())}</b>
      <button
        type="button"
        className={turn}
        aria-label={t`Next month`}
        aria-disabled={!canGoOn || undefined}
        onClick={() => canGoOn && onTurn(1)}
      >
        <Icon name="chevronRight" />
      </button>
    </div>
  )
}

function WeekdayHead() {
  return (
    <thead>
      <tr>
        {weekdays[useLanguage()].map(({ short, long }) => (
          <th key={long} scope="col" abbr={long} className="py-1.5 text-xs font-normal text-muted">
            {short}
          </th>
        ))}
      </tr>
    </thead>
  )
}

const looks = {
  chosen: 'bg-brand font-semibold text-on-brand',
  open: 'font-semibold hover:bg-brand-soft hover:text-on-brand-soft',
  closed: 'cursor-not-allowed text-muted',
}

type DayButtonProps = {
  day: Day
  look: keyof typeof looks
  isToday: boolean
  isFocused: boolean
  onPick: (day: Day) => void
  onKeyDown: (event: KeyboardEvent) => void
}

function DayButton({ day, look, isToday, isFocused, onPick, onKeyDown }: DayButtonProps) {
  const language = useLanguage()
  return (
    <button
      type="button"
      tabIndex={isFocused ? 0 : -1}
      aria-pressed={look === 'chosen'}
      aria-disabled={look === 'closed' || undefined}
      aria-current={isToday ? 'date' : undefined}
      onClick={() => look !== 'closed' && onPick(day)}
      onKeyDown={onKeyDown}
      className={cx(
        'relative h-10 w-full rounded-md text-sm tabular-nums',
        looks[look],
        isToday && 'underline decoration-2 underline-offset-4',
      )}
    >
      {dayOfMonth(day)}
      <span className="sr-only"> {formatMonth(day, language)}</span>
    </button>
  )
}
