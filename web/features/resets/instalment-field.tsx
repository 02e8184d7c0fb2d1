import { useLingui } from '@lingui/react/macro'
import type { Paise } from '#domain/money.ts'
import { FailureLine } from '#web/app/loading/failure-panel.tsx'
import type { LoadFailure } from '#web/app/loading/use-load.ts'
import { AmountField } from '#web/ui/field.tsx'
import { formatMoney } from '#web/ui/format.ts'
import type { InstalmentCheck } from './reset-form.ts'

type Bounds = { min: Paise; max: Paise }

type InstalmentFieldProps = {
  text: string
  bounds: Bounds
  problem: string | null
  /** Why the figures of the typed EMI could not be loaded. */
  failure: LoadFailure | null
  onChange: (text: string) => void
}

/** The EMI in between, checked while it is typed. */
export function InstalmentField({ text, bounds, problem, failure, onChange }: InstalmentFieldProps) {
  const { t } = useLingui()
  const [min, max] = [formatMoney(bounds.min), formatMoney(bounds.max)]
  return (
    <div>
      <AmountField
        id="reset-instalment"
        label={t`The EMI you want`}
        hint={t`Whole rupees, from ${min} to ${max}`}
        problem={problem}
        showsProblem
        value={text}
        onChange={onChange}
      />
      {failure && (
        <p className="mt-2 text-sm">
          <FailureLine {...failure} title={t`The figures of this EMI could not be loaded`} />
        </p>
      )}
    </div>
  )
}

/** What is wrong with the typed EMI; null if nothing is, or none can be typed. */
export function useInstalmentProblem(check: InstalmentCheck | null, bounds: Bounds | null): string | null {
  const { t } = useLingui()
  if (check === null || bounds === null || check.isValid) return null
  const [min, max] = [formatMoney(bounds.min), formatMoney(bounds.max)]
  switch (check.problem) {
    case 'not_an_amount':
      return t`Please enter a valid amount`
    case 'not_whole':
      return t`Enter whole rupees`
    case 'below_minimum':
      return t`The EMI must be at least ${min}`
    case 'above_maximum':
      return t`The EMI cannot exceed ${max}`
  }
}
