import { useLingui } from '@lingui/react/macro'
import type { AutopayOfferOnWire } from '#contract/autopay.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { formatDay } from '#web/ui/format.ts'

/** The days of a debit, in the order of time. */
export function WhatHappens({ offer: { debit_day: dueDay, first_debit_on: firstDay } }: { offer: AutopayOfferOnWire }) {
  const { t } = useLingui()
  const first = formatDay(firstDay, useLanguage())
  const lines = [
    t`Two days before: you are told the amount. You can skip it until one hour before the debit.`,
    dueDay === 31
      ? t`On the last day of the month: what is due is debited in the morning.`
      : t`On day ${dueDay} of the month: what is due is debited in the morning.`,
    t`If it fails: you are told why, and can pay it yourself.`,
  ]
  return (
    <section aria-label={t`What happens when`} className="text-sm">
      <h3 className="mb-1 text-sm">{t`What happens when`}</h3>
      <ul className="list-disc space-y-1 pl-5 text-muted">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <p className="mt-2 font-medium">{t`First debit: ${first}`}</p>
    </section>
  )
}
