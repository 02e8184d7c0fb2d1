import type { ReactNode } from 'react'
import { cx } from './class-names.ts'

/** A card: one subject with a heading. Leaves are never nested. Name it by its heading: `labelledBy`, or `label` where it has none. */
export function Leaf({
  labelledBy,
  label,
  className,
  children,
}: {
  labelledBy?: string
  label?: string
  className?: string
  children: ReactNode
}) {
  return (
    <section
      aria-labelledby={labelledBy}
      aria-label={label}
      className={cx(
        'rounded-lg border border-line bg-raised p-4 shadow-1 md:p-5 lg:p-6 print:border-0 print:p-0 print:shadow-none',
        className,
      )}
    >
      {children}
    </section>
  )
}

/** The heading of a leaf, a line under it, and what belongs at its right end. */
export function LeafHead({ id, title, subtitle, children }: { id?: string; title: ReactNode; subtitle?: ReactNode; children?: ReactNode }) {
  return (
    <div className="mb-4 flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
      <div className="min-w-0">
        <h2 id={id}>{title}</h2>
        {subtitle && <p className="text-sm text-muted">{subtitle}</p>}
      </div>
      {children}
    </div>
  )
}
