import { useLingui } from '@lingui/react/macro'
import type { Mandate } from '#contract/autopay.ts'
import { Money } from '#web/loan/money.tsx'
import { methodText } from './autopay-texts.ts'
import { Reference } from '#web/ui/reference.tsx'

/** The method, the account, the limit and the reference of a mandate. */
export function MandateFacts({ mandate }: { mandate: Mandate }) {
  const { t, i18n } = useLingui()
  const facts = [
    { label: t`Method`, value: i18n._(methodText[mandate.method]) },
    { label: t`Account`, value: mandate.account_hint },
    { label: t`Limit for each debit`, value: <Money amount={mandate.debit_limit} /> },
  ]
  return (
    <>
      <dl className="mt-3 grid gap-x-6 gap-y-1 border-t border-line pt-3 text-sm md:grid-cols-3 md:gap-y-3">
        {facts.map(
          ({ label, value }) =>
            value !== null && (
              <div key={label} className="flex justify-between gap-4 md:block">
                <dt className="text-muted">{label}</dt>
                <dd className="text-right font-medium md:text-left">{value}</dd>
              </div>
            ),
        )}
      </dl>
      <Reference label={t`Reference`} text={mandate.reference} />
    </>
  )
}
