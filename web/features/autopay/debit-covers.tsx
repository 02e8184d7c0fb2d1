import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import type { Collection } from '#contract/autopay.ts'
import type { Loan } from '#contract/loans.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { ChargeText } from '#web/loan/explanation-step.tsx'
import { HowComputed } from '#web/loan/explained-figure.tsx'
import { scheduleQuery } from '#web/loan/loan-queries.ts'
import { SumTable } from '#web/loan/money.tsx'
import { Disclosure } from '#web/ui/disclosure.tsx'
import { formatDay, formatMoney } from '#web/ui/format.ts'

/**
 * What a debit pays, as a checkable addition, and how each of its instalments is computed; not
 * while the loan is checked.
 */
export function DebitCovers({ loan, debit }: { loan: Loan; debit: Collection }) {
  const { t } = useLingui()
  const language = useLanguage()
  const { data } = useQuery(scheduleQuery(loan))
  const rows = data?.repayment_schedule ?? []
  const amount = formatMoney(debit.amount)
  const figures = debit.parts.flatMap(({ due_date: dueDate }) => {
    const index = rows.findIndex(({ due_date }) => due_date === dueDate)
    if (dueDate === undefined || index < 0) return []
    const day = formatDay(dueDate, language)
    return [{ what: `row:${index + 1}` as const, name: t`EMI of ${day}` }]
  })
  return (
    <div className="mt-1">
      <Disclosure summary={t`What ${amount} covers`}>
        <div className="max-w-md">
          <SumTable
            caption={t`What ${amount} covers`}
            lines={debit.parts.map((part) => ({ label: <PartText part={part} />, amount: part.amount }))}
            total={{ label: t`Total`, amount: debit.amount }}
          />
        </div>
      </Disclosure>
      {figures.length > 0 && loan.loan_status !== 'UNKNOWN' && <HowComputed loan={loan} figures={figures} />}
    </div>
  )
}

function PartText({ part: { due_date: dueDate, charge_type: chargeType } }: { part: Collection['parts'][number] }) {
  const { t } = useLingui()
  const language = useLanguage()
  if (dueDate === undefined) return <ChargeText chargeType={chargeType ?? ''} />
  const day = formatDay(dueDate, language)
  return t`EMI of ${day}`
}
