import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import type { Day } from '#domain/calendar.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { Badge } from '#web/ui/badge.tsx'
import { formatDay, formatInstant } from '#web/ui/format.ts'
import { getDpdTone } from './dpd.ts'

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

/** Days past due as a borrower reads them: 'On time', '16 days late'. */
export function DpdBadge({ dpd }: { dpd: number }) {
  const { t } = useLingui()
  const tone = getDpdTone(dpd)
  return <Badge tone={tone}>{tone === 'positive' ? t`On time` : t`${plural(dpd, { one: '# day late', other: '# days late' })}`}</Badge>
}
