import { useLingui } from '@lingui/react/macro'
import { AmountField } from '#web/ui/field.tsx'
import { formatMoney } from '#web/ui/format.ts'
import { OptionCard } from '#web/ui/option-card.tsx'
import { methodText } from './autopay-texts.ts'
import { type MethodOffer, readCap } from './set-up-form.ts'

type MethodCardProps = { offer: MethodOffer; checked: boolean; onSelect: () => void }

export function MethodCard({ offer: { method, pin_each_time: needsPin }, checked, onSelect }: MethodCardProps) {
  const { t, i18n } = useLingui()
  const upi = needsPin
    ? t`Approve once in your UPI app. The app asks for your UPI PIN at each debit.`
    : t`Approve once in your UPI app. Works at once; no PIN for each debit.`
  return (
    <OptionCard
      name="autopay-method"
      value={method}
      checked={checked}
      onSelect={onSelect}
      title={i18n._(methodText[method])}
      description={method === 'upi' ? upi : t`Approve with netbanking, debit card or Aadhaar. Your bank confirms in about one working day.`}
    />
  )
}

/** The largest single debit that the borrower allows. */
export function CapField({ method, text, onChange }: { method: MethodOffer; text: string; onChange: (text: string) => void }) {
  const { t } = useLingui()
  const cap = readCap(text, method)
  const [least, most] = [formatMoney(method.max_amount), formatMoney(method.limit)]
  const problems = {
    not_an_amount: t`Please enter a valid amount`,
    below_offer: t`The limit must be at least ${least}, so that your EMI fits`,
    above_limit: t`The limit can be at most ${most}`,
  }
  return (
    <AmountField
      id="autopay-cap"
      label={t`Limit for each debit`}
      hint={t`Only what is due is debited, never more than this. At least ${least}.`}
      problem={'problem' in cap ? problems[cap.problem] : null}
      value={text}
      onChange={onChange}
      wholeRupees
    />
  )
}
