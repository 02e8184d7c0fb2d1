import type { ReactNode } from 'react'
import { Leaf } from './leaf.tsx'

/** A leaf for a place with nothing in it: bars that are not drawn yet, what is missing, and what comes next. */
export function EmptyState({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <Leaf label={title} className="py-10! text-center">
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
    </Leaf>
  )
}
