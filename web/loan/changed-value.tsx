import type { ReactNode } from 'react'
import type { Paise } from '#domain/money.ts'
import { Money } from './money.tsx'

/** A line of an outcome: its label, and the value or a dash. */
export function OutcomeLine({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex items-baseline justify-between gap-3 border-b border-line py-1 last:border-b-0">
      <dt className="text-muted">{label}</dt>
      <dd className="text-right tabular-nums">{children || '–'}</dd>
    </div>
  )
}

type ChangedValueProps<Value> = {
  before: Value | null | undefined
  after: Value | null | undefined
  render: (value: Value) => ReactNode
}

/** A value with the earlier one struck through beside it; a dash while it is unknown. */
export function ChangedValue<Value>({ before = null, after = null, render }: ChangedValueProps<Value>) {
  if (after === null) return '–'
  return (
    <>
      {before !== null && before !== after && (
        <>
          <s className="mr-1.5 text-xs text-muted">{render(before)}</s>
          <span className="sr-only"> → </span>
        </>
      )}
      <b className="font-semibold">{render(after)}</b>
    </>
  )
}

export const renderMoney = (amount: Paise): ReactNode => <Money amount={amount} />
