import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'

/** 'How is this computed?' and the like: closed until asked for, found by the browser's own search when closed. */
export function Disclosure({ summary, open, children }: { summary: string; open?: boolean; children: ReactNode }) {
  return (
    <details open={open} className="group">
      <summary className="flex min-h-target cursor-pointer list-none items-center gap-2 text-sm font-medium text-brand hover:text-brand-hover hover:underline [&::-webkit-details-marker]:hidden">
        {summary}
        <Icon name="chevronDown" size={16} className="transition-transform group-open:rotate-180" />
      </summary>
      <div className="pb-2">{children}</div>
    </details>
  )
}
