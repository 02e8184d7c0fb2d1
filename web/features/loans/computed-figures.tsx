import { useLingui } from '@lingui/react/macro'
import type { Loan } from '#contract/loans.ts'
import { paise, zeroPaise } from '#domain/money.ts'
import { SumTable } from '#web/loan/money.tsx'
import { formatMoney } from '#web/ui/format.ts'

/**
 * How the annual percentage rate follows from the amount received, the fees and the instalments
 * (decision 51).
 */
export function AprComputed({ loan, apr }: { loan: Loan; apr: number }) {
  const { t } = useLingui()
  const rate = loan.interest_rate
  return (
    <div className="max-w-[36rem]">
      <p className="mb-3 text-sm text-muted">
        {t`APR is the yearly cost of the loan including fees: the interest rate of ${rate}% covers interest alone, while the APR also counts the fees deducted from the amount you receive.`}
      </p>
      <SumTable
        caption={t`Net amount you receive`}
        lines={[
          { label: t`Sanctioned amount`, amount: loan.sanctioned_amount },
          { label: t`Fees deducted at the start`, amount: paise(-loan.upfront_fees) },
        ]}
        total={{ label: t`Net amount you receive`, amount: paise(loan.sanctioned_amount - loan.upfront_fees) }}
      />
      <p className="mt-3 text-sm text-muted">
        {t`Discounted at ${apr}% a year, one twelfth of it each month, all agreed instalments together equal exactly this net amount. This is the method of the Reserve Bank of India’s key facts statement.`}
      </p>
    </div>
  )
}

/** The outstanding principal as a checkable addition. */
export function OutstandingComputed({ loan }: { loan: Loan }) {
  const { t } = useLingui()
  const waived = loan.principal_waived ?? zeroPaise
  const added = loan.principal_outstanding + loan.principal_paid + waived - loan.disbursed_amount
  const interest = formatMoney(loan.interest_paid)
  return (
    <div className="max-w-[36rem]">
      <p className="mb-3 text-sm text-muted">
        {t`Outstanding principal is what was disbursed, less the principal part of everything you have paid.`}
      </p>
      <SumTable
        caption={t`Principal outstanding`}
        lines={[
          { label: t`Disbursed`, amount: loan.disbursed_amount },
          ...(added === 0n ? [] : [{ label: t`Interest added to principal before EMIs began`, amount: paise(added) }]),
          { label: t`Principal paid so far`, amount: paise(-loan.principal_paid) },
          ...(waived === 0n ? [] : [{ label: t`Principal waived`, amount: paise(-waived) }]),
        ]}
        total={{ label: t`Principal outstanding`, amount: loan.principal_outstanding }}
      />
      <p className="mt-3 text-sm text-muted">{t`You have paid ${interest} of interest so far.`}</p>
    </div>
  )
}
