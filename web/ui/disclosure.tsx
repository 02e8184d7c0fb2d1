import { type ReactNode, useState } from 'react'
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

type LazyDisclosureProps = {
  summary: string
  /** What the details are about, for screen readers. */
  subject: string
  children: () => ReactNode
}

/** Details that are rendered when they are first opened. */
export function LazyDisclosure({ summary, subject, children }: LazyDisclosureProps) {
  const [wasOpened, setWasOpened] = useState(false)
  return (
    <Disclosure
      summary={
        <span>
          {summary}
          <span className="sr-only"> {subject}</span>
        </span>
      }
      onOpen={() => setWasOpened(true)}
    >
      {wasOpened && children()}
    </Disclosure>
  )
}
