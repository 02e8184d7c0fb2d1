import { Trans } from '@lingui/react/macro'
import type { LoanFigures } from '#contract/operation-kinds.ts'
import { DayText } from '#web/loan/days.tsx'

/** The rates of a reset and its day, such as 11% → 11.75% from 05 Jan 2027. */
export function ResetRates({ reset: { from, to, effective_on: day } }: { reset: NonNullable<LoanFigures['rate_reset']> }) {
  return (
    <Trans>
      {from}% → {to}% from <DayText day={day} />
    </Trans>
  )
}
