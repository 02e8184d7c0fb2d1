import type { ReactNode } from 'react'
import { cx } from './class-names.ts'

/**
 * A card: one subject with a heading. Cards are never nested. Use `labelledBy` with its heading, or
 * `label` without one.
 */
export function Card({
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

/**
 * The heading of a card with an optional subtitle, and content at its right end. With an `id` it
 * can get the focus where the control that had it is gone.
 */
export function CardHead({ id, title, subtitle, children }: { id?: string; title: ReactNode; subtitle?: ReactNode; children?: ReactNode }) {
  return (
    <div className="mb-4 flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
      <div className="min-w-0">
        <h2 id={id} tabIndex={id === undefined ? undefined : -1}>
          {title}
        </h2>
        {subtitle && <p className="text-sm text-muted">{subtitle}</p>}
      </div>
      {children}
    </div>
  )
}

/** A card for an empty place: what is missing, and what comes next. */
export function EmptyState({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <Card label={title} className="py-10! text-center">
      <svg
        width="96"
        height="80"
        viewBox="0 0 96 80"
        fill="none"
        strokeWidth="2"
        aria-hidden="true"
        className="mx-auto mb-5 stroke-line-strong"
      >
        <path d="M4 8h88" strokeWidth="5" className="stroke-chart-paid" />
        <path d="M12 12v60h12V12M34 12v44h12V12M56 12v28h12V12M78 12v14h10V12" strokeDasharray="4 4" />
      </svg>
      <h2 className="text-xl">{title}</h2>
      {children && <div className="mx-auto mt-1 max-w-[32rem] text-balance text-muted">{children}</div>}
      {action && <div className="mt-5">{action}</div>}
    </Card>
  )
}
