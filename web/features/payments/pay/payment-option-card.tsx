import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { paise } from '#domain/money.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { DpdBadge } from '#web/loan/days.tsx'
import type { Schedule } from '#web/loan/loan-queries.ts'
import { Money } from '#web/loan/money.tsx'
import { getPortalConfig } from '#web/portal-config.ts'
import { formatDay, formatMoney } from '#web/ui/format.ts'
import { OptionCard } from '#web/ui/option-card.tsx'
import type { PaymentOptionKind } from '../payments-controller.ts'
import { findSmallAmountText, optionText } from '../option-text.ts'
import { isBelowLinkMinimum, type PaymentOption } from './payment-options.ts'

type PaymentOptionCardProps = {
  option: PaymentOption
  schedule: Schedule
  checked: boolean
  disabled: boolean
  /** A payment is pending: the option is a line with its amount. */
  isBlocked: boolean
  onSelect: (kind: PaymentOptionKind) => void
}

/**
 * A payment option: its amount, and what it means. What is not available is one line, with the
 * reason.
 */
export function PaymentOptionCard({ option, schedule, checked, disabled, isBlocked, onSelect }: PaymentOptionCardProps) {
  const { i18n } = useLingui()
  const isLine = isBlocked || !option.isOffered
  const hasAmount = option.kind !== 'part_payment' && (option.isOffered || isBelowLinkMinimum(option.amount))
  return (
    <OptionCard
      name="payment-option"
      value={option.kind}
      checked={checked}
      onSelect={() => onSelect(option.kind)}
      title={i18n._(optionText[option.kind])}
      amount={hasAmount ? <Money amount={option.amount} size={isLine ? 'inherit' : 'sm'} /> : !isLine && <YouChoose />}
      description={option.isOffered && isBlocked ? null : <Description option={option} schedule={schedule} />}
      disabled={disabled || isLine}
      isLine={isLine}
    >
      {option.kind === 'overdue' && option.dpd > 0 && <DpdBadge dpd={option.dpd} />}
    </OptionCard>
  )
}

function YouChoose() {
  const { t } = useLingui()
  return <span className="text-sm">{t`You choose`}</span>
}

function Description({ option, schedule }: { option: PaymentOption; schedule: Schedule }) {
  const { t, i18n } = useLingui()
  const language = useLanguage()
  const small = option.kind === 'part_payment' ? null : findSmallAmountText(option.kind, option.amount, schedule)
  if (small !== null) return i18n._(small)
  switch (option.kind) {
    case 'overdue':
      if (!option.isOffered) return t`Nothing is overdue`
      return option.isLimited ? <LinkLimit /> : <OverdueParts option={option} schedule={schedule} />
    case 'next_emi': {
      const date = formatDay(option.dueDate, language)
      return option.isLimited ? <LinkLimit /> : t`Due ${date}`
    }
    case 'part_payment': {
      if (!option.isOffered) {
        return schedule.allowed_payments.overdue_payment.amount > 0n
          ? t`Clear the overdue amount first`
          : t`Not available for this loan now`
      }
      const [min, max] = [formatMoney(option.min), formatMoney(option.max)]
      if (option.isLimited) return t`From ${min} to ${max}, the limit of a payment link. Reduces your EMI or your tenor.`
      return t`From ${min} to ${max}. Reduces your EMI or your tenor.`
    }
    case 'foreclosure': {
      if (option.isLimited)
        return (
          <>
            {t`Closes the loan.`} <LinkLimit />
          </>
        )
      const { quoted_for: quotedFor } = schedule.allowed_payments
      if (quotedFor === undefined) return t`Closes the loan: principal, interest up to today and charges. Valid today only.`
      const date = formatDay(quotedFor, language)
      return t`Closes the loan: principal, interest up to ${date} and charges. Valid until the end of that day.`
    }
  }
}

function OverdueParts({ option, schedule }: { option: Extract<PaymentOption, { kind: 'overdue' }>; schedule: Schedule }) {
  const { t } = useLingui()
  const language = useLanguage()
  // From 23:30 the amount is that of the next day, on which what is due today is late.
  const { quoted_for: quotedFor } = schedule.allowed_payments
  const late = schedule.repayment_schedule.filter(
    ({ status, due_date: due }) => status === 'Late' || (status === 'Due' && quotedFor !== undefined && due < quotedFor),
  )
  const charges = paise(option.parts.charges + option.parts.tax)
  const chargesText = formatMoney(charges)
  const oldest = late[0]
  if (oldest === undefined) return t`Charges of ${chargesText}`
  const date = formatDay(oldest.due_date, language)
  const emis = t`${plural(late.length, { one: `EMI due ${date}`, other: `# EMIs, the oldest due ${date}` })}`
  return charges > 0n ? t`${emis}, plus charges of ${chargesText}` : emis
}

/** The response only says that the limit is exceeded; the lender configures it (decision 9). */
function LinkLimit() {
  const { t } = useLingui()
  const { support, repayment_account: account } = getPortalConfig()
  const { phone } = support
  return account || phone === ''
    ? t`The amount is above the limit of a payment link: pay by NEFT or RTGS.`
    : t`The amount is above the limit of a payment link: pay by NEFT or RTGS. Call ${phone} for the account details.`
}
