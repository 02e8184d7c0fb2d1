import type { MessageDescriptor } from '@lingui/core'
import { msg, plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import type { ExplanationStep } from '#contract/explanations.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { formatDay, formatMoney, formatCode } from '#web/ui/format.ts'

/** One fact behind a figure, as a sentence with its dates, balance, rate and days. */
export function ExplanationStepText({ step }: { step: ExplanationStep }) {
  switch (step.step) {
    case 'interest':
      return <InterestText step={step} />
    case 'interest_set_right':
      return <PlainText step={step} />
    case 'principal':
      return <PrincipalText why={step.why} />
    case 'instalment':
      return <InstalmentText step={step} />
    case 'charge':
      return <ChargeText chargeType={step.charge_type ?? ''} />
    case 'credit':
      return <CreditText />
    case 'row':
    case 'received':
    case 'oldest_unpaid':
      return <DatedText step={step} />
  }
}

type StepProps = { step: ExplanationStep }

function InterestText({ step }: StepProps) {
  const { t } = useLingui()
  const language = useLanguage()
  const [balance, rate] = [step.balance === undefined ? '' : formatMoney(step.balance), step.interest_rate]
  const [from, to] = [step.from, step.to].map((day) => (day === undefined ? '' : formatDay(day, language)))
  const [days = 0, monthDays] = [step.days, step.month_days]
  let share = t`one month`
  if (step.basis === 'part_of_month')
    share = t`${plural(days, { one: `# day of the month’s ${monthDays}`, other: `# days of the month’s ${monthDays}` })}`
  if (step.basis === 'days_of_year') share = t`${plural(days, { one: '# day of 365', other: '# days of 365' })}`
  return (
    <>
      {t`Interest on ${balance} at ${rate}% a year`}
      <span className="block text-muted">{t`${from} to ${to}, ${share}`}</span>
    </>
  )
}

function PrincipalText({ why }: { why: ExplanationStep['why'] }) {
  const { t } = useLingui()
  switch (why) {
    case 'last_row':
      return t`Principal: all that remains, in the last instalment`
    case 'interest_only':
      return t`No principal yet: only interest is paid here`
    case 'not_due':
      return t`Principal not yet due`
    case 'changed':
      return t`Principal of this instalment`
    default:
      return t`Principal: the rest of the EMI`
  }
}

const roundingText: Partial<Record<string, MessageDescriptor>> = {
  rupee_up: msg`Rounded up to the rupee.`,
  rupee_half_even: msg`Rounded to the nearest rupee.`,
  paisa_up: msg`Rounded up to the paisa.`,
  paisa_half_even: msg`Rounded to the nearest paisa.`,
}

function InstalmentText({ step }: StepProps) {
  const { t, i18n } = useLingui()
  const [balance, rate] = [step.balance === undefined ? '' : formatMoney(step.balance), step.interest_rate]
  const emi = step.amount === undefined ? '' : formatMoney(step.amount)
  const instalments = step.instalments ?? 0
  const rounding = roundingText[step.rounding ?? '']
  const rounded = rounding ? i18n._(rounding) : ''
  if (step.is_fixed) return t`The EMI of ${emi} is fixed by your agreement.`
  if (step.is_given)
    return t`The EMI of ${emi} was decided with the change of the interest rate. It repays ${balance} with interest at ${rate}% a year in ${plural(instalments, { one: '# instalment', other: '# instalments' })}.`
  return t`The EMI of ${emi} repays ${balance} with interest at ${rate}% a year in ${plural(instalments, { one: '# equal instalment', other: '# equal instalments' })}. ${rounded}`
}

/** Products and operators name charges; the common ones have translated names. */
export function useChargeText(): (chargeType: string) => string {
  const { t } = useLingui()
  return (chargeType) => {
    if (chargeType === 'LATE_PAYMENT_CHARGE') return t`Late charge`
    if (chargeType === 'PREPAYMENT_CHARGE') return t`Prepayment charge`
    if (chargeType === 'PREPAYMENT_CHARGE_TAX') return t`GST on the prepayment charge`
    if (chargeType === 'BOUNCE_CHARGE') return t`Bounce charge`
    if (chargeType === 'BOUNCE_CHARGE_TAX') return t`GST on the bounce charge`
    const name = formatCode(chargeType.replace(/_TAX$/, ''))
    return chargeType.endsWith('_TAX') ? t`GST on ${name}` : t`Charge: ${name}`
  }
}

export const ChargeText = ({ chargeType }: { chargeType: string }) => useChargeText()(chargeType)

function CreditText() {
  const { t } = useLingui()
  return t`Less what you have paid in advance`
}

function DatedText({ step }: StepProps) {
  const { t } = useLingui()
  const language = useLanguage()
  const { number = 0 } = step
  const [due, until, received] = [step.due_date, step.to, step.date].map((day) => (day === undefined ? '' : formatDay(day, language)))
  if (step.step === 'row') return t`Instalment ${number}, due ${due}`
  if (step.step === 'oldest_unpaid')
    return t`Instalment ${number} fell due on ${due} and is the oldest unpaid. Days past due are counted from then to ${until}.`
  const amount = step.amount === undefined ? '' : formatMoney(step.amount)
  return step.component === 'interest'
    ? t`${amount} of interest received on ${received}`
    : t`${amount} of principal received on ${received}`
}

function PlainText({ step }: StepProps) {
  const { t } = useLingui()
  return step.is_negative ? t`Less interest that other instalments contain` : t`Interest that earlier instalments did not contain`
}
