import type { ReactNode } from 'react'

/** A part of the page. */
export function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h2 className="mb-4 border-b border-rule pb-1">{title}</h2>
      <div className="space-y-6">{children}</div>
    </section>
  )
}

/** Variants of one thing side by side, under their name. */
export function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <h3 className="mb-2 text-sm text-muted">{name}</h3>
      <div className="flex flex-wrap items-start gap-4">{children}</div>
    </div>
  )
}
