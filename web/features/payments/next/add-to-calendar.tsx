import { useLingui } from '@lingui/react/macro'
import type { Loan, ScheduleRow } from '#contract/loans.ts'
import type { Paise } from '#domain/money.ts'
import { getLoanTabPath } from '#web/app/paths.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { saveFile } from '#web/loan/generate-document.tsx'
import { Button } from '#web/ui/button.tsx'
import { formatDay, formatMoney } from '#web/ui/format.ts'
import { listEmiSeries, writeCalendarFile } from './emi-calendar.ts'

/** Saves the EMIs to come, of which there is one at least, as a calendar file. */
export function AddToCalendar({ loan, rows }: { loan: Loan; rows: readonly ScheduleRow[] }) {
  const { t } = useLingui()
  const language = useLanguage()
  const series = listEmiSeries(loan, rows)
  const { lan, title } = loan
  const asOf = formatDay(loan.as_of, language)
  const name = (paise: Paise): string => {
    const amount = formatMoney(paise)
    return t`EMI of ${amount}, loan ${lan}`
  }
  const save = (): void => {
    const { host, origin } = window.location
    const text = writeCalendarFile({
      lan,
      series,
      texts: { title: name, description: t`${title}. Amounts as on ${asOf}; they can change. The portal shows what is due.` },
      host,
      url: `${origin}${getLoanTabPath('loan-details')}`,
      now: new Date(),
    })
    saveFile(new Blob([text], { type: 'text/calendar;charset=utf-8' }), `EMI_${lan}.ics`)
  }
  return (
    <Button variant="quiet" icon="calendar" block onClick={save}>
      {t`Add to calendar`}
    </Button>
  )
}
