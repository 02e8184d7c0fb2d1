import { useLingui } from '@lingui/react/macro'
import type { Loan } from '#contract/loans.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { Money } from '#web/loan/money.tsx'
import { Card, CardHead } from '#web/ui/card.tsx'
import { Facts } from '#web/ui/facts.tsx'
import { formatDay } from '#web/ui/format.ts'

/** How a moratorium ends: the last pre-EMI, the first EMI, and what is added to the principal. */
export function EmiStart({ start }: { start: NonNullable<Loan['emi_start']> }) {
  const { t } = useLingui()
  const language = useLanguage()
  const dayOf = (day: Loan['as_of']) => formatDay(day, language)
  const { last_pre_emi: last, first_emi: first, capitalised } = start
  const [firstDay, lastDay, capitalisedDay] = [dayOf(first.due_date), last && dayOf(last.due_date), capitalised && dayOf(capitalised.date)]
  const facts = [
    ...(last ? [{ label: t`Last pre-EMI`, value: <Money amount={last.amount} />, note: t`interest only, due on ${lastDay}` }] : []),
    { label: t`First EMI`, value: <Money amount={first.amount} />, note: t`due on ${firstDay}` },
    ...(capitalised
      ? [{ label: t`Added to the principal`, value: <Money amount={capitalised.amount} />, note: t`unpaid interest, on ${capitalisedDay}` }]
      : []),
  ]
  return (
    <Card labelledBy="emi-start">
      <CardHead
        id="emi-start"
        title={t`Your EMIs begin on ${firstDay}`}
        subtitle={
          capitalised
            ? t`Interest that is not paid before then is added to the principal, and the EMI is computed from both.`
            : t`Until then you pay interest only.`
        }
      />
      <Facts facts={facts} />
    </Card>
  )
}
