import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'

type DisclosureProps = { summary: ReactNode; open?: boolean; onOpen?: () => void; children: ReactNode }

/**
 * Details that open on a press; the browser's search finds them when closed, and they are printed
 * when open.
 */
export function Disclosure({ summary, open, onOpen, children }: DisclosureProps) {
  return (
    <details
      open={open}
      className="group not-open:print:hidden"
      onToggle={(event) => {
        if (event.currentTarget.open) onOpen?.()
      }}
    >
      <summary className="flex min-h-target cursor-pointer list-none items-center gap-2 py-1.5 text-sm font-medium text-brand hover:text-brand-hover hover:underline [&::-webkit-details-marker]:hidden">
        {summary}
        <Icon name="chevronDown" size={16} className="flex-none transition-transform group-open:rotate-180 print:hidden" />
      </summary>
      <div className="pb-2">{children}</div>
    </details>
  )
}
