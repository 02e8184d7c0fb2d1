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

/** The same, with the value below its label on phones: two outcomes fit side by side. */
export function NarrowOutcomeLine({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="border-t border-line py-1 md:flex md:items-baseline md:justify-between md:gap-3">
      <dt className="flex-none text-muted max-md:text-xs">{label}</dt>
      <dd className="flex flex-wrap items-baseline tabular-nums md:justify-end">{children || '–'}</dd>
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
