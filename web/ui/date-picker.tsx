import { Field as Base } from '@base-ui/react/field'
import { Popover } from '@base-ui/react/popover'
import { useLingui } from '@lingui/react/macro'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { addMonths, dayOfMonth, type Day } from '#domain/calendar.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { Button } from './button.tsx'
import { cx } from './class-names.ts'
import { Field, type FieldProps } from './field.tsx'
import { formatDay, formatMonth, formatMonthLong, weekdays } from './format.ts'
import { Icon, type IconName } from './icon.tsx'
import { clampDay, moveDayByKey, getFirstOfMonth, getLastOfMonth, buildMonthGrid } from './month-grid.ts'

type DatePickerProps = FieldProps & { value: Day | null; onChange: (day: Day | null) => void; range: DayRange }

/**
 * A calendar day, picked and never typed, so that day and month cannot be swapped. All days are in
 * India, whatever the device's time zone.
 */
export function DatePicker({ value, onChange, range, ...rest }: DatePickerProps) {
  const { t } = useLingui()
  const { id, label } = rest
  const language = useLanguage()
  const [open, setOpen] = useState(false)
  const field = useRef<HTMLButtonElement>(null)
  return (
    <Field {...rest}>
      <Popover.Root open={open} onOpenChange={setOpen}>
        <Base.Control
          ref={field}
          id={id}
          value={value ?? ''}
          aria-labelledby={`${id}-label ${id}`}
          className="flex w-full items-center justify-between gap-3 px-3.5 py-2.5 text-left outline-0"
          render={
            <Popover.Trigger>
              <span className={cx('tabular-nums', value === null && 'text-muted')}>
                {value === null ? t`Choose a date` : formatDay(value, language)}
              </span>
              <Icon name="calendar" className="flex-none" />
            </Popover.Trigger>
          }
        />
        <Popover.Portal>
          {/* Covers the field if there is no space below it: six weeks fill half a phone. Fixed like the dialog
              around it: otherwise focus on a day near the edge scrolls the page behind, and the calendar with it. */}
          <Popover.Positioner
            positionMethod="fixed"
            align="start"
            sideOffset={8}
            collisionPadding={8}
            collisionAvoidance={overlap}
            className="z-60 outline-0"
          >
            {/* The month view moves the focus to its day itself. */}
            <Popover.Popup
              aria-label={label}
              initialFocus={false}
              finalFocus={field}
              className="max-w-[calc(100vw-1rem)] rounded-lg border border-line bg-raised p-3 shadow-2 outline-0"
            >
              <MonthView
                label={label}
                value={value}
                range={range}
                onPick={(day) => {
                  onChange(day)
                  setOpen(false)
                }}
              />
            </Popover.Popup>
          </Popover.Positioner>
        </Popover.Portal>
      </Popover.Root>
    </Field>
  )
}

const overlap = { side: 'shift', align: 'shift', fallbackAxisSide: 'none' } as const

type DayRange = { min: Day; max: Day; today: Day }

type MonthViewProps = { label: string; value: Day | null; range: DayRange; onPick: (day: Day | null) => void }

/** A month to pick a day from: six weeks, Sunday first, 'Clear' and 'Today' (spec §9). */
function MonthView({ label, value, range, onPick }: MonthViewProps) {
  const { min, max, today } = range
  // From today, which may be before the first selectable day, to the end of the last month with
  // one.
  const [first, last] = [getFirstOfMonth(min < today ? min : today), getLastOfMonth(max > today ? max : today)]
  const [focused, setFocused] = useState<Day>(value ?? clampDay(today, min, max))
  const month = getFirstOfMonth(focused)
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
    const next = moveDayByKey(event.key, focused, event.shiftKey)
    if (next === null) return
    event.preventDefault()
    goTo(next, true)
  }

  return (
    <div className="w-80 max-w-full">
      <MonthHead
        month={month}
        canGoBack={month > first}
        canGoOn={getLastOfMonth(month) < last}
        hasYears={addMonths(first, 12) < last}
        onTurn={(by) => goTo(addMonths(month, by), false)}
      />
      <table ref={table} aria-label={label} className="w-full table-fixed">
        <WeekdayHead />
        <tbody>
          {buildMonthGrid(month).map((week) => (
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
      <MonthFoot range={range} onPick={onPick} />
    </div>
  )
}

type MonthFootProps = { range: DayRange; onPick: (day: Day | null) => void }

/**
 * 'Clear' and 'Today'. If today is not selectable, its button is disabled and the reason is below
 * it.
 */
function MonthFoot({ range: { min, max, today }, onPick }: MonthFootProps) {
  const { t } = useLingui()
  const language = useLanguage()
  const reasonId = useId()
  const [from, to] = [min, max].map((day) => formatDay(day, language))
  const reason = today < min ? t`The first date you can choose is ${from}.` : today > max ? t`The last date you can choose is ${to}.` : null
  return (
    <>
      <div className="mt-1 flex justify-between">
        <Button variant="quiet" onClick={() => onPick(null)}>{t`Clear`}</Button>
        <Button
          variant="quiet"
          state={reason === null ? 'normal' : 'disabled'}
          aria-describedby={reason === null ? undefined : reasonId}
          onClick={() => onPick(today)}
        >{t`Today`}</Button>
      </div>
      {reason && (
        <p id={reasonId} className="px-2.5 pb-1 text-right text-xs text-muted">
          {reason}
        </p>
      )}
    </>
  )
}

type MonthHeadProps = {
  month: Day
  canGoBack: boolean
  canGoOn: boolean
  /** Whether more than a year is selectable: then there are buttons for a year. */
  hasYears: boolean
  onTurn: (months: number) => void
}

function MonthHead({ month, canGoBack, canGoOn, hasYears, onTurn }: MonthHeadProps) {
  const { t } = useLingui()
  return (
    <div className="flex items-center">
      {hasYears && <Turn label={t`Previous year`} icon="chevronsLeft" isPossible={canGoBack} onTurn={() => onTurn(-12)} />}
      <Turn label={t`Previous month`} icon="chevronLeft" isPossible={canGoBack} onTurn={() => onTurn(-1)} />
      <b aria-live="polite" className="min-w-0 flex-1 text-center">
        {formatMonthLong(month, useLanguage())}
      </b>
      <Turn label={t`Next month`} icon="chevronRight" isPossible={canGoOn} onTurn={() => onTurn(1)} />
      {hasYears && <Turn label={t`Next year`} icon="chevronsRight" isPossible={canGoOn} onTurn={() => onTurn(12)} />}
    </div>
  )
}

function Turn({ label, icon, isPossible, onTurn }: { label: string; icon: IconName; isPossible: boolean; onTurn: () => void }) {
  return (
    <button
      type="button"
      className="grid size-target flex-none place-items-center rounded-md hover:bg-sunken aria-disabled:cursor-not-allowed aria-disabled:text-line-strong"
      aria-label={label}
      aria-disabled={!isPossible || undefined}
      onClick={() => isPossible && onTurn()}
    >
      <Icon name={icon} />
    </button>
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
