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
