import type { ReactNode } from 'react'

export type Fact = { label: string; value: ReactNode; note?: ReactNode }

/** Up to four short values side by side, each with a line under it. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className="grid grid-cols-2 gap-x-4 gap-y-3 md:grid-cols-4 md:gap-x-6 md:gap-y-4">
      {facts.map((fact) => (
        <div key={fact.label} className="min-w-0">
          <dt className="text-sm text-muted">{fact.label}</dt>
          <dd className="text-figure-sm/7 font-semibold tabular-nums">
            {fact.value}
            {fact.note && <span className="block text-xs font-normal text-muted">{fact.note}</span>}
          </dd>
        </div>
      ))}
    </dl>
  )
}
