import { useLingui } from '@lingui/react/macro'
import type { Loan } from '#contract/loans.ts'
import { HowComputed } from '#web/loan/explained-figure.tsx'

/** How the overdue amount is computed, and how many days it is late. */
export function DuesComputed({ loan }: { loan: Loan }) {
  const { t } = useLingui()
  const late = loan.dpd > 0 ? [{ what: 'dpd', name: t`Days past due` } as const] : []
  return <HowComputed loan={loan} figures={[{ what: 'dues', name: t`Dues` }, ...late]} />
}
