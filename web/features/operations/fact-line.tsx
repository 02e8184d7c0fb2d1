import { Trans } from '@lingui/react/macro'
import type { LoanFigures } from '#contract/operation-kinds.ts'
import { DayText } from '#web/loan/days.tsx'
import type { ReactNode } from 'react'

/** A label with its value below, in a list of facts. */
export function FactLine({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-muted">{label}</dt>
      <dd className="wrap-anywhere tabular-nums">{children}</dd>
    </div>
  )
}

/** The rates of a reset and its day, such as 11% → 11.75% from 05 Jan 2027. */
export function ResetRates({ reset: { from, to, effective_on: day } }: { reset: NonNullable<LoanFigures['rate_reset']> }) {
  return (
    <Trans>
      {from}% → {to}% from <DayText day={day} />
    </Trans>
  )
}
