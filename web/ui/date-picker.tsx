import { Popover } from '@base-ui/react/popover'
import { useLingui } from '@lingui/react/macro'
import { useRef, useState } from 'react'
import type { Day } from '#domain/calendar.ts'
import { useLanguage } from '#web/i18n/use-language.ts'
import { cx } from './class-names.ts'
import { describedBy, Field, type FieldProps } from './field.tsx'
import { formatDay } from './format.ts'
import { Icon } from './icon.tsx'
import { MonthView, type DayRange } from './month-view.tsx'

type DatePickerProps = FieldProps & { value: Day | null; onChange: (day: Day | null) => void; range: DayRange }

/** A calendar day, picked and never typed: there is no wrong order of day and month. All days are India's, whatever the device's zone. */
export function DatePicker({ id, label, hint, error, value, onChange, range }: DatePickerProps) {
  const { t } = useLingui()
  const language = useLanguage()
  const [open, setOpen] = useState(false)
  const field = useRef<HTMLButtonElement>(null)
  return (
    <Field id={id} label={label} hint={hint} error={error}>
      <Popover.Root open={open} onOpenChange={setOpen}>
        <Popover.Trigger
          ref={field}
          id={id}
          aria-labelledby={`${id}-label ${id}`}
          aria-describedby={describedBy(id, hint, error)}
          aria-invalid={error ? true : undefined}
          className="flex w-full items-center justify-between gap-3 px-3.5 py-2.5 text-left outline-0"
        >
          <span className={cx('tabular-nums', value === null && 'text-muted')}>
            {value === null ? t`Choose a date` : formatDay(value, language)}
          </span>
          <Icon name="calendar" className="flex-none" />
        </Popover.Trigger>
        <Popover.Portal>
          {/* Where there is no room under the field it lies over it: six weeks are half a phone. */}
          <Popover.Positioner align="start" sideOffset={8} collisionPadding={8} collisionAvoidance={overlap} className="z-60 outline-0">
            {/* The month view takes the focus to its day itself. */}
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
