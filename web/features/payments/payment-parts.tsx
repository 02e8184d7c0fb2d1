import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import type { Loan } from '#contract/loans.ts'
import type { PaymentPart } from '#contract/payments.ts'
import { dayInIndia } from '#domain/calendar.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { ChargeText } from '#web/loan/explanation-step.tsx'
import { Money } from '#web/loan/money.tsx'
import { formatDay, formatTime } from '#web/ui/format.ts'
import type { PayableLink } from './payments-controller.ts'
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

/**
 * Until when a link can be paid: the earlier of its end and its quote's. Without the day if that is
 * today for the server.
 */
export function PayableUntil({ loan, link: { quote, expires_at: linkEnd = null } }: { loan: Loan; link: PayableLink }) {
  const { t } = useLingui()
  const language = useLanguage()
  const isQuote = quote && (linkEnd === null || quote.valid_until < linkEnd)
  const end = isQuote ? quote.valid_until : linkEnd
  if (end === null) return null
  const [date, time] = [formatDay(dayInIndia(end), language), formatTime(end, language)]
  if (dayInIndia(end) === loan.as_of) return isQuote ? t`The amount is valid until ${time} today.` : t`The link works until ${time}.`
  return isQuote ? t`The amount is valid until ${date}, ${time}.` : t`The link works until ${date}, ${time}.`
}
