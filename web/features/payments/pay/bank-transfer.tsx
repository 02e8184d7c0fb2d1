import { useLingui } from '@lingui/react/macro'
import type { Loan } from '#contract/loans.ts'
import type { Day } from '#domain/calendar.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { getPortalConfig } from '#web/portal-config.ts'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { formatDay } from '#web/ui/format.ts'

/** Where to transfer what one payment link cannot carry, if the lender configured an account. */
export function BankTransfer({ loan, quotedFor }: { loan: Loan; quotedFor: Day | undefined }) {
  const { t } = useLingui()
  const language = useLanguage()
  const account = getPortalConfig().repayment_account
  if (!account) return null
  const date = quotedFor && formatDay(quotedFor, language)
  const lines = [
    { label: t`Account name`, text: account.name },
    { label: t`Account number`, text: account.number },
    { label: t`IFSC`, text: account.ifsc },
    { label: t`Reference: your loan number`, text: loan.lan },
  ]
  return (
    <section aria-labelledby="bank-transfer" className="mt-4 rounded-md bg-surface p-4">
      <h3 id="bank-transfer" className="text-sm">
        {t`Pay by NEFT or RTGS`}
      </h3>
      <p className="mt-1 text-sm text-muted">
        {date === undefined
          ? t`This is today’s amount. On another day, transfer the amount shown on that day.`
          : t`This is the amount of ${date}. On another day, transfer the amount shown on that day.`}
      </p>
      <dl className="mt-2 text-sm">
        {lines.map(({ label, text }) => (
          <div key={label} className="border-t border-line py-1">
            <dt className="text-xs text-muted">{label}</dt>
            <dd className="flex items-center justify-between gap-3 font-semibold">
              <span className="min-w-0 wrap-anywhere tabular-nums">{text}</span>
              {text !== account.name && <CopyButton text={text} of={label} />}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
