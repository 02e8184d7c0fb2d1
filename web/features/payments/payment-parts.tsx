import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import type { Loan } from '#contract/loans.ts'
import type { PaymentPart, Quote } from '#contract/payments.ts'
import { dayInIndia } from '#domain/calendar.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { ChargeText } from '#web/loan/explanation-step.tsx'
import { Money } from '#web/loan/money.tsx'
import { formatDay, formatTime } from '#web/ui/format.ts'
import { getQuoteLine, type QuoteLine } from './quote-sums.ts'

/** The name of a part of an amount. */
export const lineText: Record<QuoteLine, MessageDescriptor> = {
  interest: msg`Interest`,
  principal: msg`Principal`,
  principal_ahead: msg`Principal paid early`,
  charges: msg`Charges`,
  tax: msg`GST on charges`,
  credit: msg`Kept as an advance`,
  refund: msg`Sent back to you`,
}

/** The parts of a payment, each with its instalment or charge. */
export function PaymentParts({ parts, label }: { parts: readonly PaymentPart[]; label: string }) {
  return (
    <ul aria-label={label} className="mt-1 max-w-md">
      {parts.map((part, index) => (
        <li key={index} className="flex justify-between gap-4 border-t border-line py-1 first:border-t-0">
          <span className="min-w-0">
            <PartText part={part} />
          </span>
          <Money amount={part.amount} className="flex-none text-ink" />
        </li>
      ))}
    </ul>
  )
}

function PartText({ part }: { part: PaymentPart }) {
  const { t, i18n } = useLingui()
  const language = useLanguage()
  const { instalment_number: number, due_date: date, charge_type: chargeType } = part
  if (chargeType !== undefined) return <ChargeText chargeType={chargeType} />
  const name = i18n._(lineText[getQuoteLine(part)])
  if (number === undefined || date === undefined) return name
  const day = formatDay(date, language)
  return t`${name} of instalment ${number}, due ${day}`
}

/** A sentence about when the quote expires; without the day if that is today for the server. */
export function QuoteHolds({ loan, quote: { valid_until } }: { loan: Loan; quote: Quote }) {
  const { t } = useLingui()
  const language = useLanguage()
  const time = formatTime(valid_until, language)
  const day = dayInIndia(valid_until)
  const date = formatDay(day, language)
  return day === loan.as_of ? t`The amount is valid until ${time} today.` : t`The amount is valid until ${date}, ${time}.`
}
