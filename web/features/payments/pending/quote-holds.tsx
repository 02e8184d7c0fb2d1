import { useLingui } from '@lingui/react/macro'
import type { Loan } from '#contract/loans.ts'
import type { Quote } from '#contract/payments.ts'
import { useLanguage } from '#web/i18n/use-language.ts'
import { formatDay, formatTime, indiaDay } from '#web/ui/format.ts'

/** Until when the amount is right, in a sentence; the day is left out where it is the server's today. */
export function QuoteHolds({ loan, quote: { valid_until } }: { loan: Loan; quote: Quote }) {
  const { t } = useLingui()
  const language = useLanguage()
  const time = formatTime(valid_until, language)
  const day = indiaDay(valid_until)
  const date = formatDay(day, language)
  return day === loan.as_of ? t`The amount is valid until ${time} today.` : t`The amount is valid until ${date}, ${time}.`
}
