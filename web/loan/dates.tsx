import type { Day } from '#domain/calendar.ts'
import { useLanguage } from '#web/i18n/use-language.ts'
import { formatDay, formatInstant } from '#web/ui/format.ts'

/** A calendar day in India: '05 Dec 2026' / '05 दिसंबर 2026'. */
export function DayText({ day, className = '' }: { day: Day; className?: string }) {
  return (
    <time dateTime={day} className={`whitespace-nowrap tabular-nums ${className}`}>
      {formatDay(day, useLanguage())}
    </time>
  )
}

/** A moment in India time: '05 Nov 2026, 9:12 am'. */
export function InstantText({ instant, className = '' }: { instant: Date; className?: string }) {
  return (
    <time dateTime={instant.toISOString()} className={`tabular-nums ${className}`}>
      {formatInstant(instant, useLanguage())}
    </time>
  )
}
