import { useLingui } from '@lingui/react/macro'
import type { Loan } from '#contract/loans.ts'
import { paise } from '#domain/money.ts'
import { Disclosure } from '#web/ui/disclosure.tsx'
import { formatMoney } from '#web/ui/format.ts'
import { SumLedger } from '#web/loan/sum-ledger.tsx'

/** The outstanding principal as an addition the borrower can check. */
export function OutstandingComputed({ loan }: { loan: Loan }) {
  const { t } = useLingui()
  const added = loan.principal_outstanding + loan.principal_paid - loan.disbursed_amount
  const interest = formatMoney(loan.interest_paid)
  return (
    <Disclosure summary={t`How is this computed?`}>
      <div className="max-w-[36rem]">
        <p className="mb-3 text-sm text-muted">
          {t`Outstanding principal is what was disbursed, less the principal part of everything you have paid.`}
        </p>
        <SumLedger
          caption={t`Principal outstanding`}
          lines={[
            { label: t`Disbursed`, amount: loan.disbursed_amount },
            ...(added === 0n ? [] : [{ label: t`Interest added to principal before EMIs began`, amount: paise(added) }]),
            { label: t`Principal paid so far`, amount: paise(-loan.principal_paid) },
          ]}
          total={{ label: t`Principal outstanding`, amount: loan.principal_outstanding }}
        />
        <p className="mt-3 text-sm text-muted">{t`You have paid ${interest} of interest so far.`}</p>
      </div>
    </Disclosure>
  )
}
